"""Drawings that other parts of deciban make, such as graphs and beliefs, as parts of a page.

They have fixed ids for their arrowheads, which must be different in each drawing of a page, and fixed colours, which
the style sheet replaces inside `.drawn`.
"""

from __future__ import annotations

import re
from html import escape

__all__ = ["embed"]


def embed(svg: str, key: str, *, title: str, description: str = "") -> str:
    """The drawing with a name, a description, and ids that end with the key, which must be unique in the page.

    The name replaces that of the drawing; a description of its own stays where none is given.

    >>> embed('<svg role="img"><g id="a"/><use href="#a"/></svg>', "tree", title="A tree")
    '<svg role="img" aria-label="A tree"><title>A tree</title><g id="a-tree"/><use href="#a-tree"/></svg>'
    """
    for name in set(re.findall(r'\bid="([^"]+)"', svg)):
        svg = re.sub(rf'(\bid="|#){re.escape(name)}(?=["\')])', rf"\g<1>{name}-{key}", svg)
    opening, rest = svg.strip().split(">", 1)
    rest = re.sub(r"^\s*<title>.*?</title>\s*", "", rest, count=1)
    described = f"<desc>{escape(description)}</desc>" if description else ""
    return f'{opening} aria-label="{escape(title)}"><title>{escape(title)}</title>{described}{rest}'
