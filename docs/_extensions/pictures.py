"""Graphs stand in the page itself, where their text and lines have the colour of the page's text, in light and dark.

An SVG file that is shown by `img` knows the scheme of the reader's system, but not what the reader chose on the site.
Other pictures, which have colours of their own, stay files.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

_COLOURED_BY_THE_PAGE = "currentColor"


def _inline(app: Sphinx, doctree: nodes.document, name: str) -> None:  # noqa: ARG001
    if app.builder.format != "html":
        return
    for number, image in enumerate(list(doctree.findall(nodes.image))):
        path = Path(app.srcdir) / image["uri"]
        if path.suffix != ".svg" or _COLOURED_BY_THE_PAGE not in (svg := path.read_text(encoding="utf-8")):
            continue
        svg = re.sub(r"<style>.*?</style>\n?", "", svg)
        svg = re.sub(r'(id="|url\(#)deciban', rf"\1picture-{number}", svg)  # ids are unique in a page
        label = f' aria-label="{escape(image["alt"])}"' if image.get("alt") else ""
        drawn = svg.replace("<svg ", f'<svg class="graph"{label} ', 1)
        image.replace_self(nodes.raw("", drawn, format="html"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("doctree-resolved", _inline)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
