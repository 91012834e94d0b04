"""``{live-net} clinic``: a Bayes net in the page, which answers clicks without a server.

The tables of the net are written into the page when the site is built. The picture has the light or dark look that the
reader chose on the site.
"""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

import deciban as db
from deciban.widget.page import START, live_document, live_script

_DATA = Path(__file__).resolve().parents[1] / "data"


class LiveNet(Directive):
    """A net of docs/data by the name of its file; one in a page."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The picture, the tables and the script."""
        (source,) = _DATA.glob(f"{self.arguments[0]}.*")
        document = json.dumps(live_document(db.read_net(source))).replace("<", "\\u003c")
        html = (
            '<div id="live" style="margin: 1rem 0 1.5rem"></div>'
            f'<script type="application/json" id="live-net">{document}</script>'
            f'<script type="module">{live_script()}{START}</script>'
        )
        return [nodes.raw("", html, format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.add_directive("live-net", LiveNet)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
