"""The documentation site in a real browser: light and dark, wide and narrow, without a network.

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


@pytest.mark.parametrize("name", LOOKED_AT)
def test_dark_and_wide_light_and_narrow(browser, name):
    check_page(browser, SITE / f"{name}.html", OTHERS)


@pytest.mark.parametrize("name", LOOKED_AT)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_have_no_serious_fault_of_accessibility(browser, name, scheme):
    with visit(browser, SITE / f"{name}.html", scheme=scheme) as seen:
        assert seen.faults() == []
