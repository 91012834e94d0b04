"""XML as a tree of elements with line numbers, and names escaped so that they are read back unchanged.

Files that declare entities are refused, because entities can grow without bound or read another file (the attacks known
as "billion laughs" and "external entity"). External document types are never fetched. The size of the tree is estimated
from the number of marks in the text and compared with the memory limit before the tree is built.
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
"""The bytes per element or attribute; the text has one mark, "<" or "=", for each."""
_DEEPEST = 100
_BLANKS = {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;"}


@dataclass(slots=True)
class Element:
    """An element with its attributes, children and text."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text, stripped unless the file has xml:space="preserve"."""
        text = "".join(self.pieces)
        return text if self.attributes.get("xml:space") == "preserve" else text.strip()

    def all(self, *tags: str) -> list[Element]:
        """The children with one of these tags."""
        return [child for child in self.children if child.tag in tags]


def parse_xml(raw: bytes, draft: Draft) -> Element:
    """The root element of a text."""
    marks = raw.count(b"<") + raw.count(b"=")
    check_memory("the elements and attributes of the file", marks, itemsize=_PER_MARK)
    builder = _Builder(draft)
    try:
        builder.parser.Parse(raw, True)
    except expat.ExpatError as error:
        raise draft.fail(error.lineno, f"this is not valid XML: {expat.ErrorString(error.code)}") from None
    except DecibanError:
        raise
    except (LookupError, ValueError) as error:  # the encoding declared by the file
        raise draft.fail(1, f"this XML cannot be read: {error}") from None
    return builder.root.children[0]


class _Builder:
    """Builds the tree from the parser's events."""

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
    """The numbers in an element's text."""

    def fail(line: int, message: str) -> FileError:
        return draft.fail(element.line + line - 1, message)

    tokens = Tokens("".join(element.pieces).encode(), fail, "", "<!")
    tokens.values()
    if tokens.kind:
        raise tokens.expected(f"a number in <{element.tag}>")
    return tokens.numbers


def element(tag: str, text: str) -> str:
    """An element whose text is a name."""
    kept = ' xml:space="preserve"' if text != text.strip() or not text else ""
    return f"<{tag}{kept}>{escape(_checked(text), _BLANKS)}</{tag}>"


def attribute(text: str) -> str:
    """A name as the quoted value of an attribute."""
    return quoteattr(_checked(text), _BLANKS)


def _checked(text: str) -> str:
    found = _FORBIDDEN.search(text)
    if found:
        raise NetworkError(f"XML cannot contain the character {found.group()!r} of {text!r}. Rename it, or write BIF.")
    return text
