"""NET, the format of Hugin.

    net { }
    node rain { states = ("no" "yes"); }
    potential (wet | rain) { data = ((0.9 0.1) (0.2 0.8)); }

In ``data`` the node's own states vary fastest, then those of the last parent; a potential without data is uniform.
Other attributes are ignored. A node's name must be an identifier: another name is replaced by a similar identifier, and
the original is kept in the attribute ``deciban_name``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from deciban.nets.io.draft import Draft
from deciban.nets.io.words import NUMBERS, Names, Tokens, identifiers, quoted
from deciban.nets.network import Network
from deciban.types import Floats

__all__ = ["read_hugin", "write_hugin"]

_MARKS = "{}()|;="
_OTHERS = (b"decision", b"utility", b"continuous", b"function", b"class")


def read_hugin(raw: bytes, file: str) -> Network:
    """The net that a text describes."""
    draft = Draft(file)
    tokens = Tokens(raw, draft.fail, _MARKS, "%")
    names: dict[str, str] = {}
    tables = []
    while tokens.kind or not names:
        block = tokens.raw()
        tokens.at += 1
        if block == b"node":
            _read_node(tokens, draft, names)
        elif block in (b"net", b"potential"):
            tables += [tokens.at] if block == b"potential" else []
            tokens.skip("}")
        elif block != b"discrete":
            tokens.at -= 1
            what = "; only discrete chance nodes are read" if block in _OTHERS else ""
            raise tokens.expected(f"'net', 'node' or 'potential'{what}")
    for index in tables:
        tokens.at = index
        _read_potential(tokens, draft, names)
    return draft.network()


def write_hugin(network: Network) -> str:
    """The text of a net."""
    return "".join(_lines(network))


def _lines(network: Network) -> Iterator[str]:
    names = Names(network)
    identifier = identifiers(names.node.values())
    yield "net\n{\n}\n"
    for node, name in names.node.items():
        states = " ".join(map(quoted, names.states[node]))
        original = f"    deciban_name = {quoted(name)};\n" if identifier[name] != name else ""
        yield f"node {identifier[name]}\n{{\n    states = ({states});\n{original}}}\n"
    for node, name in names.node.items():
        given = " ".join(identifier[up] for up in names.parents(network, node))
        head = f"{identifier[name]} | {given}" if given else identifier[name]
        rows = network.tables[node].reshape(-1, len(network.states[node])).tolist()
        data = "\n        ".join(f"({' '.join(map(repr, row))})" for row in rows)
        yield f"potential ({head})\n{{\n    data = ({data});\n}}\n"


def _read_node(tokens: Tokens, draft: Draft, names: dict[str, str]) -> None:
    line, written, states = tokens.line, tokens.name("the name of a node"), list[str]()
    name = written
    tokens.mark("{", "after the name of a node")
    while not tokens.is_mark("}"):
        attribute = tokens.name(f"an attribute of {written!r} or '}}'")
        tokens.mark("=", f"after {attribute!r}")
        if attribute == "states":
            tokens.mark("(", "before the states")
            states = tokens.names()
            tokens.mark(")", "after the states")
        if attribute == "deciban_name":
            name = tokens.name("a name")
        tokens.skip(";")
    if written in names:
        raise draft.fail(line, f"the variable {written!r} is defined a second time")
    names[written] = name
    draft.add_variable(name, states, line)


def _read_potential(tokens: Tokens, draft: Draft, names: dict[str, str]) -> None:
    line = tokens.line
    tokens.mark("(", "after 'potential'")
    written = [tokens.name("the name of a node")]
    written += tokens.names() if tokens.is_mark("|") else []
    if tokens.kind != ord(")"):
        raise tokens.expected("'|' or ')' in the head of a potential: tables of several nodes are not read")
    tokens.at += 1
    tokens.mark("{", "after the head of a potential")
    node, *parents = (names.get(name, name) for name in written)
    shape = draft.add_family(node, parents, line)
    values: Floats | None = None
    while not tokens.is_mark("}"):
        attribute = tokens.name("an attribute of the potential or '}'")
        tokens.mark("=", f"after {attribute!r}")
        if attribute == "data":
            values = _read_data(tokens)
        elif attribute.startswith("model_"):
            raise tokens.expected("'data': tables defined by a model are not read")
        tokens.skip(";")
    if values is None:
        draft.check_filled(node, line)
        values = np.full(math.prod(shape), 1 / shape[-1])
    draft.add_table(node, values, line)


def _read_data(tokens: Tokens) -> Floats:
    """Numbers in nested parentheses."""
    first, depth = tokens.firsts[tokens.at], 0
    while tokens.kind != ord(";"):
        if tokens.kind not in (ord("("), ord(")"), NUMBERS):
            raise tokens.expected("numbers and parentheses, then ';'")
        depth += (tokens.kind == ord("(")) - (tokens.kind == ord(")"))
        if depth < 0:
            raise tokens.expected("';' after the parentheses are closed")
        tokens.at += 1
    if depth:
        raise tokens.expected("')'")
    return tokens.numbers[first : tokens.firsts[tokens.at]]
