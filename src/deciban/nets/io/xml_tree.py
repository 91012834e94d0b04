"""XML as a tree whose elements know their lines; and names written so that XML gives them back.

Entities that a file declares are refused, so that none can grow without bound or reach another file (the attacks known
as "billion laughs" and "external entity"). External document types are never fetched. What the tree takes is bounded by
the marks of the text, and compared with the memory limit before the tree is made.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NoReturn
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from deciban.errors import DecibanError, FileError, NetworkError
from deciban.limits import check_memory
from deciban.nets.io.draft import Draft
from deciban.nets.io.scan import Tokens
from deciban.types import Floats

__all__ = ["Element", "attribute", "element", "numbers", "parse_xml"]

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PER_MARK = 300
"""The bytes of an element or attribute, of which each has a mark of its own: "<" or "="."""
_DEEPEST = 100
_BLANKS = {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;"}


@dataclass(slots=True)
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
    marks = raw.count(b"<") + raw.count(b"=")
    check_memory("the elements and attributes of the file", marks, itemsize=_PER_MARK)
    builder = _Builder(draft)
    try:
        builder.parser.Parse(raw, True)
    except expat.ExpatError as error:
        raise draft.fail(error.lineno, f"this is no XML: {expat.ErrorString(error.code)}") from None
    except DecibanError:
        raise
    except (LookupError, ValueError) as error:  # the encoding that the file names
        raise draft.fail(1, f"this is no XML that can be read: {error}") from None
    return builder.root.children[0]


class _Builder:
    """Makes the tree from what the parser finds."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self.root = Element("", {}, 1)
        self._open = [self.root]
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = lambda _: self._open.pop()
        self.parser.CharacterDataHandler = self._add
        self.parser.EntityDeclHandler = self._refuse

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        if len(self._open) > _DEEPEST:
            raise self._draft.fail(line, f"<{tag}> is nested more than {_DEEPEST} elements deep")
        made = Element(tag, attributes, line)
        self._open[-1].children.append(made)
        self._open.append(made)

    def _add(self, text: str) -> None:
        self._open[-1].pieces.append(text)

    def _refuse(self, *_: Any) -> NoReturn:
        raise self._draft.fail(self.parser.CurrentLineNumber, "the file declares an entity; such files are not read")


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
