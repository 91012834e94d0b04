"""The documentation site in a real browser: light and dark, wide and narrow, without a network.

Code is not cut off in a window of 1280 pixels, and no name is broken in one of 390, on any page.

`make docs` builds it before; a site that is not there fails under CI and is skipped elsewhere.
"""

import os
from pathlib import Path

import pytest

from tests.servers.browser import visit

pytestmark = pytest.mark.servers

SITE = Path(__file__).resolve().parents[2] / "docs" / "_build" / "html"
WINDOWS = [(1280, "light"), (390, "dark")]
OTHERS = [(1280, "dark"), (390, "light")]
LOOKED_AT = ["index", "which-model", "notes", "tutorials/mixed-tables", "how-to/index"]
_WIDE_TEXT = """() => [...document.querySelectorAll(".bd-article-container")]
  .filter(text => text.scrollWidth > text.clientWidth + 1).map(() => "the text scrolls sideways")"""
_STROKE, _FILL = (f"element => getComputedStyle(element).{name}" for name in ("stroke", "fill"))
GENERATED = {"genindex.html", "search.html", "py-modindex.html"}


def pages() -> list[Path]:
    """The pages that were written, and a few of the generated reference."""
    written = [page for page in SITE.rglob("*.html") if not {"_static", "_sources", "generated"} & {*page.parts}]
    generated = sorted(SITE.glob("reference/generated/*.html"))
    return sorted(page for page in written if page.name not in GENERATED) + generated[::12]


@pytest.fixture(scope="module", autouse=True)
def site():
    if not (SITE / "index.html").is_file():
        if os.environ.get("CI"):
            pytest.fail("the site is not built: make docs")
        pytest.skip("the site is not built: make docs")


def check_page(browser, page: Path, windows: list[tuple[int, str]]) -> None:
    for width, scheme in windows:
        with visit(browser, page, width=width, scheme=scheme) as seen:
            assert [message for message in seen.messages if "error" in message] == []
            assert [address for address in seen.requests if not address.startswith(("file:", "data:"))] == []
            assert seen.overflow() == []


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(SITE).as_posix())
def test_a_page_fits_its_window_and_loads_nothing_foreign(browser, page):
    check_page(browser, page, WINDOWS)


@pytest.fixture(scope="module")
def in_windows(browser):
    """What is wrong on any page in a window of 1280 pixels and in one of 390: each page is opened once for both."""
    found = {"scrolls": {}, "cut": {}, "broken": {}}
    every = [page for page in SITE.rglob("*.html") if not {"_static", "_sources"} & {*page.parts}]
    with visit(browser, SITE / "index.html") as seen:
        for page in sorted(every):
            seen.page.goto(page.as_uri())
            for width in (1280, 390):
                seen.page.set_viewport_size({"width": width, "height": 900})
                name = f"{page.relative_to(SITE)} at {width}"
                found["scrolls"][name] = seen.overflow() + seen.page.evaluate(_WIDE_TEXT)
                found["broken"][name] = seen.broken_words()
                found["cut"][name] = seen.cut_code() if width == 1280 else []
    assert len(found["cut"]) >= 400
    return {kind: {name: faults for name, faults in pages.items() if faults} for kind, pages in found.items()}


def test_no_page_scrolls_sideways(in_windows):
    assert in_windows["scrolls"] == {}


def test_code_is_not_cut_off_in_a_window_of_a_desktop(in_windows):
    assert in_windows["cut"] == {}


def test_names_are_not_broken_inside_a_word(in_windows):
    assert in_windows["broken"] == {}


def test_the_names_in_the_overviews_of_the_reference_are_links(browser):
    with visit(browser, SITE / "reference" / "index.html") as seen:
        names = seen.page.locator("table code").count()
        links = seen.page.locator("table a code")
        assert links.count() == names >= 30
        links.get_by_text("GaussianNB", exact=True).click()
        assert seen.page.url.endswith("deciban.GaussianNB.html#deciban.GaussianNB")


@pytest.mark.parametrize("chosen", ["light", "dark"])
@pytest.mark.parametrize("system", ["light", "dark"])
def test_graphs_are_drawn_in_the_colour_of_the_text(browser, system, chosen):
    """Also where the reader chose another scheme on the site than that of the system."""
    with visit(browser, SITE / "tutorials" / "causal-graphs.html", scheme=system) as seen:
        seen.page.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", chosen)
        text = seen.page.locator("article p").first.evaluate("element => getComputedStyle(element).color")
        graphs = seen.page.locator("svg.graph")
        assert graphs.count() >= 5
        for number in range(graphs.count()):
            assert graphs.nth(number).locator("ellipse").first.evaluate(_STROKE) == text
            assert graphs.nth(number).locator("text").first.evaluate(_FILL) == text


@pytest.mark.parametrize("name", LOOKED_AT)
def test_dark_and_wide_light_and_narrow(browser, name):
    check_page(browser, SITE / f"{name}.html", OTHERS)


@pytest.mark.parametrize("name", LOOKED_AT)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_have_no_serious_fault_of_accessibility(browser, name, scheme):
    with visit(browser, SITE / f"{name}.html", scheme=scheme) as seen:
        assert seen.faults() == []
