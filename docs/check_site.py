"""Check the built site: python docs/check_site.py docs/_build/html.

Every link to a page, a heading or a file of the site must lead somewhere, and no page may load a script, a style or a
picture from another host.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["faults"]

_LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}
_METADATA = {"canonical", "alternate", "author", "license"}


@dataclass
class _Page(HTMLParser):
    """The links, the loaded files and the anchors of a page."""

    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value for name, value in attributes if value}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif found.get("rel") not in _METADATA:
            self.loaded += [found[name] for of, name in _LOADED if of == tag and name in found]


@cache
def _page(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def faults(site: Path) -> list[str]:
    """Return what is wrong in a built site, a line each."""
    found = []
    pages = (path for path in site.rglob("*.html") if site / "_static" not in path.parents)  # templates of the theme
    for path in sorted(pages):
        page, name = _page(path), path.relative_to(site)
        found += [f"{name}: loads {address} from another host" for address in page.loaded if urlsplit(address).netloc]
        found += [
            f"{name}: {address} leads nowhere" for address in page.links + page.loaded if _is_broken(path, address)
        ]
    return found


def _is_broken(path: Path, address: str) -> bool:
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return False
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return True
    fragment = unquote(parts.fragment)
    return bool(fragment) and target.suffix == ".html" and fragment not in _page(target).anchors


if __name__ == "__main__":
    lines = faults(Path(sys.argv[1]).resolve())
    print(*lines, sep="\n") if lines else print("every link of the site leads somewhere")
    sys.exit(bool(lines))
