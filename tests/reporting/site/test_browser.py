"""The pages in a real browser: no script of a stranger runs, nothing is wrong in the console, the controls work."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
    if driver is None or chromium is None:
        pytest.skip("needs chromium and chromedriver (workflow/scripts/install_browser.sh)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,900"):
        options.add_argument(argument)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    started.set_page_load_timeout(60)
    yield started
    started.quit()


@pytest.fixture
def open_page(browser, world):
    def open_it(path: Path, *, width: int = 1280, height: int = 900):
        browser.set_window_size(width, height)
        browser.get_log("browser")
        browser.get(path.as_uri())
        return browser

    return open_it


def _screenshot(browser, name: str) -> None:
    """Kept where COPPERBENCH_SCREENSHOTS names a folder, for a person to look at."""
    folder = os.environ.get("COPPERBENCH_SCREENSHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        browser.save_screenshot(str(Path(folder) / f"{name}.png"))


def test_no_page_runs_a_strangers_script_or_complains(open_page, world) -> None:
    for path in world.pages():
        page = open_page(path)
        assert page.execute_script("return window.pwned") is None, path
        assert [entry for entry in page.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")] == [], path
        _screenshot(page, path.stem)


def test_the_drawings_are_shown(open_page, world) -> None:
    page = open_page(world.run)
    if not page.execute_script("return document.images.length"):
        pytest.skip("the site was made without kicad-cli")
    script = "[...document.images].forEach(i => i.loading = 'eager');"
    page.execute_script(script)
    done = "return Promise.all([...document.images].map(i => i.decode())).then(() => document.images[0].naturalWidth)"
    assert page.execute_script(done) > 0


def test_a_click_on_a_heading_sorts_the_table(open_page, world) -> None:
    page = open_page(world.out / f"tasks/{world.run.parent.name}.html")
    headings = (
        "return [...document.querySelectorAll('table')].find(t => t.rows[0].cells[1]?.innerText.startsWith('Run'))"
    )
    table = page.execute_script(headings)
    first = "return arguments[0].tBodies[0].rows[0].innerText"
    before = page.execute_script(first, table)
    button = table.find_element("css selector", "th:nth-child(2) button")
    button.click()
    button.send_keys("\ue007")  # Enter: a keyboard sorts as a mouse does
    assert page.execute_script(first, table) != before
    assert table.find_element("css selector", "th:nth-child(2)").get_attribute("aria-sort") == "descending"


def test_the_search_finds_folded_output_and_escape_clears_it(open_page, world) -> None:
    page = open_page(world.run)
    page.find_element("css selector", "body").send_keys("/")
    search = page.switch_to.active_element
    assert search.get_attribute("id") == "search"
    search.send_keys("NEEDLE in")
    assert page.find_element("id", "found").text.startswith("1 of ")
    assert page.execute_script("return document.querySelector('.part:not([hidden]) mark').offsetHeight") > 0
    _screenshot(page, "run-search")
    search.send_keys("\ue00c")
    assert page.find_element("id", "found").text == ""


def test_searching_markup_marks_text_and_makes_no_markup(open_page, world) -> None:
    page = open_page(world.run)
    page.find_element("id", "search").send_keys("<script>window")
    assert page.execute_script("return document.querySelectorAll('mark').length") > 0
    assert page.execute_script("return [window.pwned ?? null, document.scripts.length]") == [None, 1]


def test_the_theme_button_turns_the_page_dark_and_back(open_page, world) -> None:
    page = open_page(world.out / "index.html")
    colour = "return getComputedStyle(document.body).backgroundColor"
    light = page.execute_script(colour)
    page.find_element("id", "theme").click()
    dark = page.execute_script(colour)
    _screenshot(page, "index-dark")
    page.find_element("id", "theme").click()
    assert (dark != light, page.execute_script(colour)) == (True, light)


@pytest.mark.parametrize("page_name", ["index", "run"])
def test_a_phone_scrolls_in_one_direction(open_page, world, page_name: str) -> None:
    page = open_page(world.out / "index.html" if page_name == "index" else world.run)
    phone = {"width": 375, "height": 800, "deviceScaleFactor": 1, "mobile": True}  # narrower than a window can be
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    try:
        wide = "return document.documentElement.scrollWidth"
        _screenshot(page, f"{page_name}-phone")
        assert page.execute_script(wide) <= 375
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_everything_can_be_reached_by_keyboard(open_page, world) -> None:
    page = open_page(world.out / "index.html")
    seen = set()
    for _ in range(12):
        page.switch_to.active_element.send_keys("\ue004")
        seen.add(page.switch_to.active_element.get_attribute("outerHTML")[:60])
    assert len(seen) >= 8
