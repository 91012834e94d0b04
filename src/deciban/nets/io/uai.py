"""UAI, the format of the UAI inference competitions, which has only numbers.

    BAYES │ nodes │ states of each │ tables │ for each: how many variables, parents, the node │ for each: size, values

The node's own states vary fastest. The format has no names: they are written as a comment after the last table, which
deciban reads back; without it nodes and states are named by their numbers, "0", "1", ….
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from deciban.nets.io.draft import Draft
from deciban.nets.io.words import Names, Tokens
from deciban.nets.network import Network
from deciban.types import Floats, Ints

__all__ = ["read_uai", "write_uai"]

_NAMES = "# deciban names "
_COMMENT = re.compile(rb"#[^\n]*")


def read_uai(raw: bytes, file: str) -> Network:
    """The net that a text describes."""
    draft = Draft(file)
    numbers = _Numbers(raw, draft)
    cards = [numbers.whole("the number of states", 1) for _ in range(numbers.whole("the number of variables", 1))]
    numbers.expect(sum(cards))  # every variable has a table with at least one value per state
    nodes, states = _read_names(raw, cards, draft)
    for name, values in zip(nodes, states, strict=True):
        draft.add_variable(name, values, 2)
    tables = numbers.whole("the number of tables", 0)
    scopes = [numbers.scope(len(cards)) for _ in range(tables)]
    for *parents, node in scopes:
        line = numbers.line
        draft.add_family(nodes[node], [nodes[up] for up in parents], line)
        draft.add_table(nodes[node], numbers.take(numbers.whole("the number of values", 1)), line)
    numbers.end()
    return draft.network()


def write_uai(network: Network) -> str:
    """The text of a net."""
    return "\n".join(_lines(network)) + "\n"


def _lines(network: Network) -> Iterator[str]:
    names = Names(network)
    yield from ("BAYES", str(len(network.nodes)), " ".join(map(str, network.cards)), str(len(network.nodes)))
    for family in network.families:
        yield " ".join(map(str, (len(family), *family)))
    for node in network.nodes:
        table = network.tables[node]
        yield f"\n{table.size}"
        for row in table.reshape(-1, table.shape[-1]).tolist():
            yield " " + " ".join(map(repr, row))
    named = {"nodes": list(names.node.values()), "states": [names.states[node] for node in network.nodes]}
    yield "\n" + _NAMES + json.dumps(named)


class _Numbers:
    """The numbers of the file, in order."""

    def __init__(self, raw: bytes, draft: Draft) -> None:
        self._raw, self._draft, self._at = raw, draft, 0
        tokens = Tokens(raw, draft.fail, "", "#")
        if tokens.raw() != b"BAYES":
            raise tokens.expected("'BAYES', the only kind of UAI file that is a Bayes net")
        tokens.at += 1
        tokens.values()
        if tokens.kind:
            raise tokens.expected("a number")
        self._values = tokens.numbers

    @property
    def line(self) -> int:
        """The line of the next number."""
        lines = self._lines
        return int(lines[min(self._at + 1, len(lines) - 1)])

    @cached_property
    def _lines(self) -> Ints:
        """The line of each word, and of the end of the file."""
        # Comments become blanks of the same length, so that positions stay those of the file.
        text = np.frombuffer(_COMMENT.sub(lambda comment: b" " * len(comment.group()), self._raw), dtype=np.uint8)
        is_blank = (text <= ord(" ")) | (text == ord(","))
        starts = np.flatnonzero(~is_blank & np.concatenate([[True], is_blank[:-1]]))
        return np.append(np.flatnonzero(text == ord("\n")).searchsorted(starts), self._raw.count(b"\n")) + 1

    def expect(self, count: int) -> None:
        """Raise an error if fewer than ``count`` numbers are left."""
        if self._at + count > len(self._values):
            raise self._draft.fail(
                int(self._lines[-1]),
                f"expected {self._at + count - len(self._values)} more numbers, found the end of the file",
            )

    def take(self, count: int) -> Floats:
        """The next numbers."""
        self.expect(count)
        self._at += count
        return self._values[self._at - count : self._at]

    def whole(self, what: str, least: int, most: float = float("inf")) -> int:
        """The next number, which must be an integer in a range."""
        line = self.line if self._at >= len(self._values) or not _is_whole(self._values[self._at], least, most) else 0
        (value,) = self.take(1).tolist()
        if line:
            raise self._draft.fail(line, f"expected {what}, found {value:g}")
        return int(value)

    def scope(self, nodes: int) -> list[int]:
        """The indices of a table's variables."""
        return [
            self.whole("the number of a variable", 0, nodes - 1)
            for _ in range(self.whole("the number of variables of a table", 1))
        ]

    def end(self) -> None:
        """Raise an error if numbers are left."""
        if self._at < len(self._values):
            raise self._draft.fail(self.line, "expected the end of the file, found more numbers")


def _is_whole(value: float, least: int, most: float) -> bool:
    # From 2⁵³ on, a double stands for several whole numbers.
    return float(value).is_integer() and least <= value <= most and value < 2**53


def _read_names(raw: bytes, cards: list[int], draft: Draft) -> tuple[list[str], list[list[str]]]:
    numbered = [str(index) for index in range(len(cards))], [[str(code) for code in range(card)] for card in cards]
    start = raw.rfind(_NAMES.encode())
    if start < 0:
        return numbered
    line = raw.count(b"\n", 0, start) + 1
    try:
        named = json.loads(raw[start + len(_NAMES) :].split(b"\n", 1)[0])
        nodes, states = list(named["nodes"]), list(map(list, named["states"]))
        is_text = all(isinstance(name, str) for names in (nodes, *states) for name in names)
        fits = [len(names) for names in states] == cards and len(nodes) == len(cards)
    except (ValueError, LookupError, TypeError, RecursionError):
        raise draft.fail(line, "the names cannot be read; remove the line to use numbers as names") from None
    if not (is_text and fits):
        raise draft.fail(line, "the names do not fit this net; remove the line to use numbers as names")
    return nodes, states
