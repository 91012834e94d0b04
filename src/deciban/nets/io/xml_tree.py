"""XML as a tree whose elements know their lines; and names written so that XML gives them back.

Entities that a file declares are refused, so that none can grow without bound or reach another file (the attacks known
as "billion laughs" and "external entity").
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from deciban.errors import FileError, NetworkError
from deciban.nets.io.draft import Draft
from deciban.nets.io.scan import Tokens
from deciban.types import Floats

__all__ = ["Element", "attribute", "element", "numbers", "parse_xml"]

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BLANKS = {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;"}


@dataclass
class Element:
    """A tag with what is in it."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text inside, without blanks around it unless the file says that they count."""
        text = "".join(self.pieces)
        return text if self.attributes.get("xml:space") == "preserve" else text.strip()

    def all(self, *tags: str) -> list[Element]:
        """The children of some tags."""
        return [child for child in self.children if child.tag in tags]


def parse_xml(raw: bytes, draft: Draft) -> Element:
    """The root of a text."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    root = Element("", {}, 1)
    open_ = [root]

    def start(tag: str, attributes: dict[str, str]) -> None:
        made = Element(tag, attributes, parser.CurrentLineNumber)
        open_[-1].children.append(made)
        open_.append(made)

    def end(_: str) -> None:
        open_.pop()

    def add(text: str) -> None:
        open_[-1].pieces.append(text)

    def refuse(*_: Any) -> None:
        raise draft.fail(parser.CurrentLineNumber, "the file declares an entity; such files are not read")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = add
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(raw, True)
    except expat.ExpatError as error:
        raise draft.fail(error.lineno, f"this is no XML: {expat.ErrorString(error.code)}") from None
    return root.children[0]


def numbers(element: Element, draft: Draft) -> Floats:
    """The numbers inside an element."""

    def fail(line: int, message: str) -> FileError:
        return draft.fail(element.line + line - 1, message)

    tokens = Tokens("".join(element.pieces).encode(), fail, "", "<!")
    tokens.values()
    if tokens.kind:
        raise tokens.expected(f"a number in <{element.tag}>")
    return tokens.numbers


def element(tag: str, text: str) -> str:
    """An element that holds a name."""
    kept = ' xml:space="preserve"' if text != text.strip() or not text else ""
    return f"<{tag}{kept}>{escape(_checked(text), _BLANKS)}</{tag}>"


def attribute(text: str) -> str:
    """A name as the quoted value of an attribute."""
    return quoteattr(_checked(text), _BLANKS)


def _checked(text: str) -> str:
    found = _FORBIDDEN.search(text)
    if found:
        raise NetworkError(f"XML cannot hold the character {found.group()!r} of {text!r}. Rename it, or write BIF.")
    return text
