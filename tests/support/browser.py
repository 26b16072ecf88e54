"""Node and Chromium, where the machine has them; a test that needs one that is missing says so and is skipped."""

import contextlib
import json
import shutil
import subprocess

import pytest

SWITCHES = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def node(script, folder):
    """What a script prints as JSON."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed: what is printed as JavaScript cannot be run")
    file = folder / "script.js"
    file.write_text(script, encoding="utf-8")
    done = subprocess.run([found, str(file)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@contextlib.contextmanager
def chromium():
    """A headless browser."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no page is opened")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("Chromium is not installed: no page is opened")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(SWITCHES))
        yield browser
        browser.close()


@contextlib.contextmanager
def opened(browser, address, width=1280, scheme="light"):
    """A page at an address; afterwards, whatever it complained of on its console or could not load fails the test."""
    context = browser.new_context(viewport={"width": width, "height": 860}, color_scheme=scheme)
    page, complaints = context.new_page(), []
    page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(f"not loaded: {request.url}"))
    page.goto(address)
    yield page
    assert complaints == []
    context.close()
