"""BIF, the interchange format of most collections of nets (Cozman 1998, version 0.15).

    network asia { }
    variable rain { type discrete [ 2 ] { no, yes }; }
    probability ( wet | rain ) { (no) 0.9, 0.1; (yes) 0.2, 0.8; }

Blocks and rows may come in any order; ``default`` fills the rows that are not given; properties and comments are
ignored. ``table`` of a node with parents lists the node's first state for all states of the parents, the last parent's
fastest, then its second state, and so on: the order of JavaBayes. Names that are not a single word are quoted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import count, pairwise, product

import numpy as np

from deciban.nets.io.draft import Draft
from deciban.nets.io.words import Names, Tokens, decoded, quoted
from deciban.nets.network import Network
from deciban.types import Floats

__all__ = ["read_bif", "write_bif"]

_MARKS = "{}()[];|"
_OPENING, _SEMICOLON = ord("("), ord(";")
_PLAIN = re.compile(r"(?:(?!//|/\*)[^\s,\"{}()\[\];|])+")


def read_bif(raw: bytes, file: str) -> Network:
    """The net that a text describes."""
    draft = Draft(file)
    tokens = Tokens(raw, draft.fail, _MARKS, "//")
    tables = []
    while tokens.kind or not draft.states:
        block = tokens.raw()
        tokens.at += 1
        if block == b"variable":
            _read_variable(tokens, draft)
        elif block in (b"network", b"probability"):
            tables += [tokens.at] if block == b"probability" else []
            tokens.skip("}")
        else:
            tokens.at -= 1
            raise tokens.expected("'network', 'variable' or 'probability'")
    for position in tables:
        tokens.at = position
        _Block(tokens, draft).read()
    return draft.network()


def write_bif(network: Network) -> str:
    """The text of a net."""
    return "".join(_lines(network))


def _lines(network: Network) -> Iterator[str]:
    plain = Names(network)
    names = {node: _written(name) for node, name in plain.node.items()}
    states = {node: list(map(_written, states)) for node, states in plain.states.items()}
    yield "network unknown {\n}\n"
    for node in network.nodes:
        among = ", ".join(states[node])
        yield f"variable {names[node]} {{\n  type discrete [ {len(states[node])} ] {{ {among} }};\n}}\n"
    for node in network.nodes:
        parents = network.parents[node]
        given = f" | {', '.join(names[up] for up in parents)}" if parents else ""
        yield f"probability ( {names[node]}{given} ) {{\n"
        keys = [f"({', '.join(key)})" for key in product(*(states[up] for up in parents))] if parents else ["table"]
        for key, row in zip(keys, network.tables[node].reshape(len(keys), -1).tolist(), strict=True):
            yield f"  {key} {', '.join(map(repr, row))};\n"
        yield "}\n"


def _written(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else quoted(name)


def _read_variable(tokens: Tokens, draft: Draft) -> None:
    line, name, states = tokens.line, tokens.name("the name of a variable"), list[str]()
    tokens.mark("{", "after the name of a variable")
    while not tokens.is_mark("}"):
        word = tokens.raw()
        if word == b"property":
            tokens.skip(";")
        elif word == b"type":
            tokens.at += 1
            states = _read_type(tokens, name)
        else:
            raise tokens.expected(f"'type', 'property' or '}}' in the variable {name!r}")
    draft.add_variable(name, states, line)


def _read_type(tokens: Tokens, name: str) -> list[str]:
    if tokens.raw() != b"discrete":
        raise tokens.expected(f"'discrete' as the type of {name!r}, the only one that is read")
    tokens.at += 1
    tokens.mark("[", "before the number of states")
    written = tokens.name("the number of states")
    tokens.mark("]", "after the number of states")
    tokens.mark("{", "before the states")
    states = tokens.names()
    if written != str(len(states)):
        raise tokens.expected(f"{written} states of {name!r}, not {len(states)}")
    tokens.mark("}", "after the states")
    tokens.mark(";", "after the states")
    return states


class _Block:
    """One block ``probability``, from its first parenthesis on."""

    def __init__(self, tokens: Tokens, draft: Draft) -> None:
        self._tokens, self._draft = tokens, draft
        self._line = tokens.line
        tokens.mark("(", "after 'probability'")
        self._node, *parents = tokens.names() or [tokens.name("the name of a variable")]
        parents += tokens.names() if tokens.is_mark("|") else []
        tokens.mark(")", "after the names of variables")
        tokens.mark("{", "after the names of variables")
        *sizes, self._card = draft.add_family(self._node, parents, self._line)
        self._parents, self._sizes, self._rows = parents, sizes, math.prod(sizes)
        self._codes = [{state.encode(): code for code, state in enumerate(draft.states[up])} for up in parents]
        # For each row of the file: its index, the index of its first value, and its offset in the text.
        self._given, self._firsts, self._starts = list[int](), list[int](), list[int]()
        self._seen = set[int]()
        self._default: Floats | None = None
        self._table: Floats | None = None
        self._table_start = 0

    def read(self) -> None:
        """Read the rows, and add the table to the draft."""
        if not self._is_regular():
            while not self._tokens.is_mark("}"):
                if self._tokens.kind == _OPENING:
                    self._read_row()
                else:
                    self._read_words()
        self._draft.add_table(self._node, self._values(), self._line, self._line_of)

    def _is_regular(self) -> bool:
        """Whether the block consists of all its rows, each well formed; if so, they are read in one pass.

        Nearly all blocks are regular, and reading them row by row takes three times as long. Other blocks, and invalid
        ones, are read row by row.
        """
        tokens, here, ups = self._tokens, self._tokens.at, len(self._parents)
        step, end = ups + 4, here + (ups + 4) * self._rows
        if ups == 0 or end >= len(tokens.kinds):
            return False
        if tokens.kinds[here : end + 1] != (b"(" + b"w" * ups + b")0;") * self._rows + b"}":
            return False
        firsts, positions = tokens.firsts[here + ups + 2 : end : step], [0] * self._rows
        for up, codes in enumerate(self._codes):
            row_codes = [codes.get(word, -1) for word in tokens.each(slice(here + 1 + up, end, step))]
            positions = [position * len(codes) + code for position, code in zip(positions, row_codes, strict=True)]
            if -1 in row_codes:
                return False
        is_even = all(b - a == self._card for a, b in pairwise([*firsts, tokens.firsts[end]]))
        if not is_even or len(set(positions)) < self._rows:
            return False
        self._given, self._firsts, self._starts = positions, firsts, tokens.starts[here:end:step]
        tokens.at = end + 1
        return True

    def _read_row(self) -> None:
        tokens = self._tokens
        start = tokens.at
        tokens.at += 1
        words = tokens.pieces(")")
        try:
            position = 0
            for codes, word in zip(self._codes, words, strict=True):
                position = position * len(codes) + codes[word]
        except (KeyError, ValueError):  # quoted names are decoded only where the bytes as they are fit no state
            position = self._decoded_position(words, start)
        if position in self._seen:
            raise self._error(start, "has a second row for the same states of its parents")
        first, end = tokens.values()
        if end - first != self._card or tokens.kind != _SEMICOLON:
            raise self._wrong_values(end - first, start)
        tokens.at += 1
        self._seen.add(position)
        self._given.append(position)
        self._firsts.append(first)
        self._starts.append(tokens.starts[start])

    def _decoded_position(self, words: Sequence[bytes], start: int) -> int:
        if len(words) != len(self._parents):
            raise self._error(
                start, f"needs a state of each of its {len(self._parents)} parents, not {len(words)} states"
            )
        position = 0
        for up, codes, word in zip(self._parents, self._codes, words, strict=True):
            code = codes.get(decoded(word).encode())
            if code is None:
                known = ", ".join(self._draft.states[up][:12])
                raise self._error(start, f"names the state {decoded(word)!r} of {up!r}, whose states are {known}")
            position = position * len(codes) + code
        return position

    def _read_words(self) -> None:
        tokens, start = self._tokens, self._tokens.at
        word = tokens.raw()
        if word not in (b"table", b"default", b"property"):
            raise tokens.expected(f"'(', 'table', 'default', 'property' or '}}' in the table of {self._node!r}")
        if word == b"property":
            tokens.skip(";")
            return
        tokens.at += 1
        first, end = tokens.values()
        expected = self._card * (self._rows if word == b"table" else 1)
        if end - first != expected or tokens.kind != _SEMICOLON:
            raise self._wrong_values(end - first, start, expected)
        tokens.at += 1
        values = tokens.numbers[first:end]
        if word == b"table":
            self._table = values.reshape(self._card, self._rows).T
            self._table_start = tokens.starts[start]
        else:
            self._default = values

    def _values(self) -> Floats:
        """The table, row by row."""
        if self._table is None and self._default is None and len(self._given) < self._rows:
            raise self._draft.fail(self._line, f"the table of {self._node!r} has no {self._absent()} and no 'default'")
        if self._default is not None:
            self._draft.check_filled(self._node, self._line)
        out = np.empty((self._rows, self._card))
        if self._table is not None:
            out[:] = self._table
        elif self._default is not None:
            out[:] = self._default
        if self._given:
            firsts = np.array(self._firsts)
            out[self._given] = self._tokens.numbers[firsts[:, None] + np.arange(self._card)]
        return out

    def _absent(self) -> str:
        """The first row that is missing."""
        if not self._parents:
            return "'table'"
        position = next(position for position in count() if position not in self._seen)
        names = list[str]()
        for up, size in zip(reversed(self._parents), reversed(self._sizes), strict=True):
            position, at = divmod(position, size)
            names.append(self._draft.states[up][at])
        return f"row ({', '.join(reversed(names))})"

    def _line_of(self, row: int) -> int:
        start = self._starts[self._given.index(row)] if row in self._given else self._table_start
        return self._tokens.line_at(start) if start else self._line

    def _error(self, token: int, message: str) -> Exception:
        return self._tokens.error_at(self._tokens.starts[token], f"the table of {self._node!r} {message}")

    def _wrong_values(self, count: int, token: int, expected: int | None = None) -> Exception:
        tokens = self._tokens
        if tokens.kind != _SEMICOLON:
            return tokens.expected(f"numbers and then ';' in the table of {self._node!r}")
        return self._error(token, f"needs {expected or self._card} values here, not {count}")
