"""The pictures of the lab in the documentation: python scripts/screenshots.py, with Chromium and playwright."""

import io
import pathlib
import shutil
import tempfile

from PIL import Image
from playwright.sync_api import sync_playwright

from polhode.views.lab.page import save

FOLDER = pathlib.Path(__file__).parents[1] / "docs" / "pictures"
SHOTS = {
    "lab-wide-light": (1280, 820, "light", "#field=stress&a=ELN&b=VLV&h=0.25&speed=7", "lab.runs.a.turns > 250"),
    "lab-wide-dark": (1280, 820, "dark", "#field=top&a=RKMK4&b=AKW&h=0.25&speed=5", "lab.runs.a.turns > 120"),
    "lab-phone-light": (390, 844, "light", "#field=stress&a=MCG&b=RATTLE&h=0.25&speed=7", "lab.runs.a.turns > 250"),
    "lab-phone-dark": (390, 844, "dark", "#field=free&a=ELN&b=EXACT&h=0.25&speed=5", "lab.runs.a.turns > 120"),
}
"""Name: width, height, light or dark, what is chosen, and when to look."""


def main() -> None:
    """Open the lab four times, wait, and keep what is seen."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        address = save(folder).as_uri()
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, (width, height, scheme, chosen, until) in SHOTS.items():
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            page.goto(address + chosen)
            page.wait_for_function(until, timeout=60_000)
            page.keyboard.press("Space")
            page.wait_for_timeout(200)
            picture = Image.open(io.BytesIO(page.screenshot(full_page=width < 500)))
            picture.convert("RGB").quantize(128).save(FOLDER / f"{name}.png", optimize=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
