"""The lab in a browser: it runs, every control works, the plot shows who drifts, on a desk and on a phone."""

import io
import re

import pytest
from PIL import Image

from polhode.cli.main import main
from polhode.views.lab.page import lab_page
from tests.support.browser import chromium, opened

SMALL = 500_000


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    assert main(["lab", "--out", str(folder), "--no-open"]) == 0
    return (folder / "lab.html").as_uri()


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


def test_one_file_that_fetches_nothing():
    text = lab_page()
    assert len(text.encode()) < SMALL
    assert not re.search(r"(src|href)=\"(?!data:)", text) and "http" not in text
    assert "{" not in text[: text.index("<style>")] and "/*{" not in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_both_methods_run_at_every_size_and_in_every_light(browser, address, width, scheme):
    with opened(browser, address, width, scheme) as page:
        page.wait_for_function("lab.runs.a.steps > 50 && lab.runs.b.steps > 50")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("document.documentElement.dataset.theme") == scheme
        small = page.evaluate("[...document.querySelectorAll('button, select')].map((x) => x.clientHeight)")
        assert min(small) >= (40 if width < 500 else 30)  # for a finger
        for name in ("space-a", "momentum-a", "space-b", "momentum-b", "energy", "momentum"):
            assert len(_picture(page, name).getcolors(1 << 20)) > 20, name


def test_the_plot_shows_the_drift_of_eln_and_none_of_vlv(browser, address):
    with opened(browser, address + "#field=stress&a=ELN&b=VLV&h=0.25&speed=10") as page:
        page.wait_for_function("lab.runs.a.turns > 400", timeout=60_000)
        page.keyboard.press("Space")
        page.wait_for_timeout(100)
        assert page.get_attribute("#verdict-a", "data-sign") == "-"
        assert page.get_attribute("#verdict-b", "data-sign") == "0"
        assert "loses energy" in page.inner_text("#verdict-a") and "no drift" in page.inner_text("#verdict-b")
        picture = _picture(page, "energy")
        a, b = (_heights(picture, page.evaluate(f"ink('--{side}')")) for side in "ab")
        assert a["late"] - b["late"] > 0.25 * picture.height  # downwards, from the same start
        assert abs(b["late"] - b["early"]) < 0.05 * picture.height


def test_pickers_sliders_and_buttons(browser, address):
    with opened(browser, address) as page:
        page.select_option("#field", "free")
        assert page.input_value("#body") == "free-body" and "polhode" in page.inner_text("#words")
        page.select_option("#a", "LIEMID")
        page.select_option("#b", "RKMK4")
        page.select_option("#body", "water")
        assert page.inner_text("#name-a") == "LIEMID" and page.inner_text("#name-b") == "RKMK4"
        assert page.evaluate("lab.runs.b.body[0]") == [0.345, 0.653, 1.0]
        page.wait_for_function("lab.runs.a.steps > 10 && lab.runs.a.failure === null")
        page.focus("#h")
        page.keyboard.press("ArrowLeft")
        assert page.evaluate("lab.chosen.h") == pytest.approx(0.25 / 2**0.5)
        page.focus("#speed")
        page.keyboard.press("ArrowRight")
        assert page.evaluate("lab.chosen.speed") == 6 and "3200 steps/s" in page.inner_text("#speed-shown")
        page.click("#pause")
        assert page.inner_text("#pause") == "Go on" and _rests(page)
        page.click("#reset")
        assert page.evaluate("lab.runs.a.steps") == 0
        page.select_option("#field", "top")  # LIEMID is for free bodies only
        assert page.inner_text("#name-a") == "ELN"
        page.click("#theme")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_keyboard(browser, address):
    with opened(browser, address) as page:
        page.keyboard.press("Space")
        assert _rests(page)
        page.keyboard.press("r")
        assert page.evaluate("lab.runs.a.steps") == 0
        page.keyboard.press("2")
        assert page.input_value("#field") == "top"
        page.keyboard.press("x")
        assert page.inner_text("#name-a") == "VLV" and page.inner_text("#name-b") == "ELN"
        page.keyboard.press("+")
        page.keyboard.press("]")
        assert page.evaluate("[lab.chosen.speed, lab.chosen.h]") == [6, pytest.approx(0.05 * 2**0.5)]
        before = page.evaluate("view.yaw")
        page.keyboard.press("ArrowRight")
        assert page.evaluate("view.yaw") > before
        page.keyboard.press("d")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_dragging_turns_the_view(browser, address):
    with opened(browser, address) as page:
        before = page.evaluate("[view.yaw, view.pitch]")
        box = page.locator("#space-b").bounding_box()
        page.mouse.move(box["x"] + 60, box["y"] + 60)
        page.mouse.down()
        page.mouse.move(box["x"] + 120, box["y"] + 90, steps=4)
        page.mouse.up()
        page.mouse.move(box["x"] + 20, box["y"] + 20)
        after = page.evaluate("[view.yaw, view.pitch]")
        assert after == [pytest.approx(before[0] + 0.6), pytest.approx(before[1] + 0.3)]


def test_a_finger_turns_the_view_and_still_scrolls_the_page(browser, address):
    with opened(browser, address, 390) as page:
        finger = page.context.new_cdp_session(page)
        finger.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
        before = page.evaluate("view.yaw")
        box = page.locator("#space-a").bounding_box()
        x, y = box["x"] + 40, box["y"] + 60
        _stroke(finger, [(x + 10 * k, y) for k in range(9)])
        assert abs(page.evaluate("view.yaw") - before) > 0.3 and page.evaluate("scrollY") == 0
        _stroke(finger, [(x, y - 25 * k) for k in range(9)])
        page.wait_for_function("scrollY > 50")


def _stroke(finger, places):
    """A finger put down at the first place, moved over the others, and lifted."""
    for k, (x, y) in enumerate(places):
        kind = "touchMove" if k else "touchStart"
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_the_link_holds_the_state(browser, address):
    with opened(browser, address) as page:
        page.select_option("#field", "wall")
        page.select_option("#a", "AKW")
        page.keyboard.press("Escape")
        page.click("#share")
        page.wait_for_function("document.getElementById('share').textContent !== 'Share'")
        link, chosen = page.url, page.evaluate("lab.chosen")
    assert "field=wall" in link and "a=AKW" in link
    with opened(browser, link) as page:
        assert page.evaluate("lab.chosen") == chosen
    with opened(browser, address + "#field=nowhere&a=NOBODY&h=-3&speed=x&theme=pink") as page:
        assert page.evaluate("lab.chosen") == page.evaluate("CHOSEN")


def test_a_run_begins_slowly_and_gathers_speed_up_to_what_is_chosen(browser, address):
    with opened(browser, address + "#field=stress&speed=3") as page:
        page.keyboard.press("Space")
        page.click("#reset")
        asked = """(steps) => {
            lab.runs.a.steps = steps; lab.runs.b.steps = steps; lab.due = 0;
            performance.now = () => 0;  // however busy the machine is, the frame has room
            advance(100);
            return lab.runs.a.steps - steps + lab.due;
        }"""
        found = [page.evaluate(asked, steps) for steps in (0, 100, 10_000)]
        assert found == [pytest.approx(x) for x in (5, 13, 40)]  # of 50, 130 and 400 a second


def test_nothing_is_drawn_again_while_nothing_changes(browser, address):
    with opened(browser, address) as page:
        page.keyboard.press("Space")
        page.wait_for_timeout(100)
        page.evaluate("() => { const before = draw; lab.drawn = 0; draw = () => { lab.drawn += 1; before(); }; }")
        page.wait_for_timeout(150)
        assert page.evaluate("lab.drawn") == 0
        page.keyboard.press("ArrowRight")
        page.wait_for_function("lab.drawn === 1")


def test_a_method_that_cannot_go_on_says_so(browser, address):
    with opened(browser, address + "#field=wall&a=VLV&b=ELN&h=2&speed=6") as page:
        page.wait_for_function("lab.runs.a.failure !== null")
        page.wait_for_function("document.getElementById('verdict-a').dataset.sign === '!'")
        assert "stopped at t" in page.inner_text("#verdict-a")


def _rests(page):
    """Whether the clock stands still."""
    steps = page.evaluate("lab.runs.a.steps")
    page.wait_for_timeout(120)
    return page.evaluate("lab.runs.a.steps") == steps


def _picture(page, name):
    return Image.open(io.BytesIO(page.locator(f"#{name}").screenshot())).convert("RGB")


def _heights(picture, colour):
    """Where, from the top, the pixels of a colour are, early and late in the plot."""
    wanted = tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))
    found = {"early": [], "late": []}
    for x in range(60, picture.width - 9):
        share = (x - 60) / (picture.width - 69)
        part = "early" if share < 0.06 else "late" if share > 0.94 else None
        if part:
            found[part] += [y for y in range(picture.height) if _near(picture.getpixel((x, y)), wanted)]
    return {part: sum(rows) / len(rows) for part, rows in found.items() if rows}


def _near(pixel, wanted):
    return max(abs(p - w) for p, w in zip(pixel, wanted)) < 25
