"""A real browser for the tests: Chromium of the system, driven by Playwright, without a network.

    with running_browser() as browser:
        with visit(browser, page, width=390, scheme="dark") as seen:
            assert not seen.messages and not seen.requests

The checks return what is wrong, as text, so that a failed assertion shows it.
"""

import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = ("--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run")
SERIOUS = ("serious", "critical")
HEIGHT = 900

_OVERFLOW = """() => {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide) return [];
  return [...document.body.querySelectorAll("*")]
    .filter(element => element.getBoundingClientRect().right > wide + 1)
    .map(element => element.outerHTML.slice(0, 120)).slice(0, 5);
}"""

# The blocks of code that scroll sideways, and the Python programs with a line that is continued below.
_CUT = """() => [...document.querySelectorAll("pre")].filter(block => {
  const is_program = block.closest(".highlight-python");
  const before = block.style.whiteSpace;
  if (is_program) block.style.whiteSpace = "pre";
  const is_cut = block.scrollWidth > block.clientWidth + 1;
  block.style.whiteSpace = before;
  return is_cut;
}).map(block => block.innerText.slice(0, 80))"""

# The words, outside of blocks of code, that begin on one line and end on another.
_BROKEN = """() => {
  const broken = [], range = document.createRange();
  const texts = document.createTreeWalker(document.querySelector("article") || document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.parentElement.closest("pre, svg, math, script, style")) continue;
    for (const word of text.data.matchAll(/[\\p{L}\\p{N}_]{2,}/gu)) {
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].filter(box => box.width).map(box => Math.round(box.top)));
      if (lines.size > 1) broken.push(word[0]);
    }
  }
  return broken;
}"""


def program() -> Path | None:
    """Chromium or Chrome, where one is installed."""
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    return None if found is None else Path(found)


@contextmanager
def running_browser(path: Path):
    """Start the browser; it ends with the block."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  only `make test-engines` installs it

    options = [*QUIET, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=options)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visit:
    """A page that is open: messages of its console, errors of its scripts, and what it tried to load."""

    page: Any
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def overflow(self) -> list[str]:
        """The elements that reach beyond the right edge where the page scrolls sideways."""
        return self.page.evaluate(_OVERFLOW)

    def cut_code(self) -> list[str]:
        """The beginning of each block of code that is wider than its place."""
        return self.page.evaluate(_CUT)

    def broken_words(self) -> list[str]:
        """The words of the text that are broken over two lines."""
        return self.page.evaluate(_BROKEN)

    def faults(self) -> list[str]:
        """Serious and critical faults of accessibility, found by axe-core."""
        from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415  only `make test-engines` installs it

        violations = Axe().run(self.page).response["violations"]
        return [
            f"{fault['id']} ({fault['impact']}): {fault['help']}: {node['html'][:200]} {_reasons(node)}"
            for fault in violations
            if fault["impact"] in SERIOUS
            for node in fault["nodes"][:3]
        ]


@contextmanager
def visit(browser, path: Path, *, width: int = 1280, scheme: str = "light", has_scripts: bool = True):
    """Open a file in a window of a width, in light or dark; nothing is reachable but the file itself."""
    context = browser.new_context(
        viewport={"width": width, "height": HEIGHT},
        color_scheme=scheme,
        offline=True,
        java_script_enabled=has_scripts,
        reduced_motion="reduce",
    )
    try:
        page = context.new_page()
        seen = Visit(page)
        address = path.resolve().as_uri()
        page.on("console", lambda message: seen.messages.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: seen.messages.append(f"uncaught: {error}"))
        page.on("request", lambda request: seen.requests.append(request.url))
        page.goto(address)
        seen.requests.remove(address)
        yield seen
    finally:
        context.close()


def _reasons(node) -> str:
    return "; ".join(check["message"] for kind in ("any", "all", "none") for check in node[kind])[:300]
