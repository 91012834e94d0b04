"""XML as a tree of elements with line numbers, and names escaped so that they are read back unchanged.

Files that declare entities are refused, because entities can grow without bound or read another file (the attacks known
as "billion laughs" and "external entity"). External document types are never fetched. The size of the tree is estimated
from the number of marks in the text and compared with the memory limit before the tree is built.

XMLBIF, the interchange format in XML (Cozman 1998, version 0.3).

    <DEFINITION><FOR>wet</FOR><GIVEN>rain</GIVEN><TABLE>0.9 0.1 0.2 0.8</TABLE></DEFINITION>

A table has the states of ``FOR`` fastest, then those of the last ``GIVEN``. Properties are left out.

XDSL, the format of GeNIe and SMILE.

    <cpt id="wet"><state id="no"/><state id="yes"/><parents>rain</parents><probabilities>…</probabilities></cpt>

In <probabilities> the node's own states vary fastest, then those of its last parent (SMILE's manual). Deterministic
nodes are read as tables of 0 and 1. XDSL requires identifiers for nodes and states: other names are replaced by similar
identifiers, and the original names are kept in the user properties ``deciban_name`` and ``deciban_states``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from deciban.errors import DecibanError, FileError, NetworkError
from deciban.limits import check_memory
from deciban.nets.graphs.graph import Node
from deciban.nets.io.draft import Draft
from deciban.nets.io.words import Names, Tokens, identifiers
from deciban.nets.network import Network
from deciban.types import Floats

__all__ = [
    "Element",
    "attribute",
    "element",
    "numbers",
    "parse_xml",
    "read_xdsl",
    "read_xmlbif",
    "write_xdsl",
    "write_xmlbif",
]


_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PER_MARK = 300
"""The bytes per element or attribute; the text has one mark, "<" or "=", for each."""
_DEEPEST = 100
# A parser turns these into spaces in attributes, and \r\n into \n in text, unless they are written as codes.
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

    def _refuse(self, *_: object) -> NoReturn:
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
    match = _FORBIDDEN.search(text)
    if match:
        raise NetworkError(f"XML cannot contain the character {match.group()!r} of {text!r}. Rename it, or write BIF.")
    return text


def read_xmlbif(raw: bytes, file: str) -> Network:
    """The net that a text describes."""
    draft = Draft(file)
    root = parse_xml(raw, draft)
    nets = root.all("NETWORK") if root.tag == "BIF" else []
    if len(nets) != 1:
        raise draft.fail(root.line, f"expected <BIF> with one <NETWORK>, found <{root.tag}> with {len(nets)}")
    for variable in nets[0].all("VARIABLE"):
        if variable.attributes.get("TYPE", "nature") != "nature":
            kind = variable.attributes["TYPE"]
            raise draft.fail(variable.line, f"expected a variable of TYPE 'nature', found {kind!r}")
        states = [outcome.text for outcome in variable.all("OUTCOME", "VALUE")]
        draft.add_variable(_one(variable, "NAME", draft).text, states, variable.line)
    for table in nets[0].all("DEFINITION", "PROBABILITY"):
        node = _one(table, "FOR", draft).text
        draft.add_family(node, [given.text for given in table.all("GIVEN")], table.line)
        values = _one(table, "TABLE", draft)
        draft.add_table(node, numbers(values, draft), values.line)
    return draft.network()


def write_xmlbif(network: Network) -> str:
    """The text of a net."""
    return "\n".join(_xmlbif_lines(network)) + "\n"


def _xmlbif_lines(network: Network) -> Iterator[str]:
    names = Names(network)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<BIF VERSION="0.3">\n<NETWORK>\n<NAME>unknown</NAME>'
    for node, name in names.node.items():
        yield f'<VARIABLE TYPE="nature">\n{element("NAME", name)}'
        yield from (element("OUTCOME", state) for state in names.states[node])
        yield "</VARIABLE>"
    for node, name in names.node.items():
        yield f"<DEFINITION>\n{element('FOR', name)}"
        yield from (element("GIVEN", up) for up in names.parents(network, node))
        table = network.tables[node]
        rows = table.reshape(-1, table.shape[-1]).tolist()
        yield "<TABLE>" + "\n".join(" ".join(map(repr, row)) for row in rows) + "</TABLE>\n</DEFINITION>"
    yield "</NETWORK>\n</BIF>"


def _one(parent: Element, tag: str, draft: Draft) -> Element:
    elements = parent.all(tag)
    if len(elements) != 1:
        raise draft.fail(parent.line, f"expected one <{tag}> in <{parent.tag}>, found {len(elements)}")
    return elements[0]


_LONGEST, _SHOWN = 60, 12  # of what an error message shows of a file: letters of a text, and states


def read_xdsl(raw: bytes, file: str) -> Network:
    """The net that a text describes."""
    draft = Draft(file)
    root = parse_xml(raw, draft)
    if root.tag != "smile" or len(root.all("nodes")) != 1:
        raise draft.fail(root.line, f"expected <smile> with <nodes>, found <{root.tag}>")
    names: dict[str, str] = {}
    nodes = root.all("nodes")[0].children
    for node in nodes:
        _read_node(node, draft, names)
    for node in nodes:
        name = names[node.attributes["id"]]
        parents = [names.get(up, up) for listed in node.all("parents") for up in listed.text.split()]
        draft.add_family(name, parents, node.line)
        values = node.all("probabilities", "resultingstates")
        if len(values) != 1:
            raise draft.fail(node.line, f"expected one <probabilities> of {name!r}, found {len(values)}")
        is_table = values[0].tag == "probabilities"
        table = numbers(values[0], draft) if is_table else _determined(values[0], node, name, draft)
        draft.add_table(name, table, values[0].line)
    return draft.network()


def write_xdsl(network: Network) -> str:
    """The text of a net; parents come before their children."""
    return "\n".join(_xdsl_lines(network)) + "\n"


def _xdsl_lines(network: Network) -> Iterator[str]:
    names = Names(network)
    identifier = identifiers(names.node.values())
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<smile version="1.0" id="unknown">\n<nodes>'
    for node in network.dag.topological_order():
        name, states = names.node[node], names.states[node]
        yield f"<cpt id={attribute(identifier[name])}>"
        short = identifiers(states)
        yield from (f"<state id={attribute(short[state])}/>" for state in states)
        if network.parents[node]:
            yield f"<parents>{' '.join(identifier[up] for up in names.parents(network, node))}</parents>"
        yield f"<probabilities>{_values(network, node)}</probabilities>"
        if identifier[name] != name:
            yield _property("deciban_name", name)
        if any(short[state] != state for state in states):
            yield _property("deciban_states", json.dumps(states))
        yield "</cpt>"
    yield '</nodes>\n<extensions>\n<genie version="1.0" app="deciban" name="unknown">'
    for name, short_name in identifier.items():
        yield f"<node id={attribute(short_name)}>{element('name', name)}</node>"
    yield "</genie>\n</extensions>\n</smile>"


def _values(network: Network, node: Node) -> str:
    return " ".join(map(repr, network.tables[node].ravel().tolist()))


def _property(key: str, text: str) -> str:
    return element("property", text).replace("<property", f'<property id="{key}"', 1)


def _read_node(node: Element, draft: Draft, names: dict[str, str]) -> None:
    identifier = node.attributes.get("id")
    if node.tag not in ("cpt", "deterministic") or identifier is None:
        raise draft.fail(node.line, f'expected <cpt id="…">, found <{node.tag}>; only discrete chance nodes are read')
    properties = {item.attributes.get("id"): item for item in node.all("property")}
    states = [state.attributes.get("id", "") for state in node.all("state")]
    if "deciban_states" in properties:
        states = _named_states(properties["deciban_states"], states, draft)
    if identifier in names:
        raise draft.fail(node.line, f"the variable {identifier!r} is defined a second time")
    names[identifier] = properties["deciban_name"].text if "deciban_name" in properties else identifier
    draft.add_variable(names[identifier], states, node.line)


def _named_states(item: Element, states: list[str], draft: Draft) -> list[str]:
    try:
        named = json.loads(item.text)
    except (ValueError, RecursionError):
        named = None
    if not isinstance(named, list) or len(named) != len(states) or not all(isinstance(name, str) for name in named):
        shown = repr(item.text) if len(item.text) <= _LONGEST else repr(item.text[:_LONGEST]) + "…"
        raise draft.fail(item.line, f"expected a JSON list of {len(states)} names as deciban_states, found {shown}")
    return named


def _determined(values: Element, node: Element, name: str, draft: Draft) -> Floats:
    """The table of 0 and 1 in which each configuration of the parents has the one state that the file names."""
    codes = {state.attributes.get("id", ""): code for code, state in enumerate(node.all("state"))}
    words, card = values.text.split(), len(draft.states[name])
    for word in words:
        if word not in codes:
            known = ", ".join(list(codes)[:_SHOWN])
            raise draft.fail(values.line, f"expected one of {known}, found {word[:_LONGEST]!r}")
    rows = math.prod(len(draft.states[up]) for up in draft.parents[name])
    if len(words) != rows:
        raise draft.fail(
            values.line,
            f"{name!r} needs a state for each of the {rows} configurations of its parents, not {len(words)}",
        )
    draft.check_filled(name, values.line)
    table = np.zeros((len(words), card))
    table[np.arange(len(words)), [codes[word] for word in words]] = 1
    return table.ravel()
