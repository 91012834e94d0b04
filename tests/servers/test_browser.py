"""The checks of a page in a browser find what they look for."""

import pytest

from tests.servers.browser import visit

pytestmark = pytest.mark.servers

GOOD = """<!doctype html><html lang="en"><head><title>Good</title>
<style>body {{ color: #111; background: #fff }}
@media (prefers-color-scheme: dark) {{ body {{ background: #123 }} }}</style>
</head><body><main><h1>Good</h1>{body}</main></body></html>"""


@pytest.fixture
def opened(browser, tmp_path):
    """Opens a page that has this body."""

    def write(body="", **settings):
        path = tmp_path / "page.html"
        path.write_text(GOOD.format(body=body), encoding="utf-8")
        return visit(browser, path, **settings)

    return write


def test_a_good_page_has_no_faults(opened):
    with opened() as seen:
        assert seen.messages == []
        assert seen.requests == []
        assert seen.overflow() == []
        assert seen.faults() == []


def test_errors_of_scripts_and_of_the_console_are_found(opened):
    with opened("<script>console.error('one'); throw new Error('two')</script>") as seen:
        assert seen.messages == ["error: one", "uncaught: two"]


def test_a_request_is_found_though_nothing_is_reachable(opened):
    with opened('<img alt="x" src="http://deciban.example/x.png">') as seen:
        assert seen.requests == ["http://deciban.example/x.png"]


def test_a_wide_element_is_found_on_a_narrow_screen(opened):
    wide = '<div style="width: 700px">wide</div>'
    with opened(wide, width=390) as seen:
        assert seen.overflow() == [wide]
    with opened(wide, width=1280) as seen:
        assert seen.overflow() == []


def test_code_that_is_wider_than_its_place_is_found(opened):
    code = "<pre style='width: 200px; overflow: auto{more}'>" + "x = 1; " * 20 + "</pre>"
    with opened(code.format(more="")) as seen:
        assert len(seen.cut_code()) == 1
    with opened(code.format(more="; white-space: pre-wrap")) as seen:
        assert seen.cut_code() == []
    with opened(f'<div class="highlight-python">{code.format(more="; white-space: pre-wrap")}</div>') as seen:
        assert len(seen.cut_code()) == 1, "a program is not continued on the next line"


def test_a_word_that_is_broken_over_two_lines_is_found(opened):
    text = '<p style="width: 60px; overflow-wrap: {how}">a UnseenConfigurations b</p>'
    with opened(text.format(how="anywhere")) as seen:
        assert seen.broken_words() == ["UnseenConfigurations"]
    with opened(text.format(how="normal")) as seen:
        assert seen.broken_words() == []


def test_accessibility_faults_are_found(opened):
    with opened('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">') as seen:
        assert [fault.split()[0] for fault in seen.faults()] == ["image-alt"]


def test_contrast_depends_on_the_colour_scheme(opened):
    with opened("<p>text</p>", scheme="light") as seen:
        assert seen.faults() == []
    with opened("<p>text</p>", scheme="dark") as seen:
        assert "color-contrast" in seen.faults()[0]


def test_scripts_can_be_off(opened):
    with opened("<p>off</p><script>document.querySelector('p').textContent = 'on'</script>", has_scripts=False) as seen:
        assert seen.page.inner_text("p") == "off"
