"""Names as text, and as the identifiers that some formats require.

Nodes and states that are not strings, such as numbers, are written by ``str`` and read back as strings; only JSON keeps
their types.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from deciban.errors import NetworkError
from deciban.nets.graphs.base import Node
from deciban.nets.network import Network

__all__ = ["Names", "identifiers", "is_identifier"]

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Names:
    """The nodes and states of a net as text; an error if two of them have the same text."""

    def __init__(self, network: Network) -> None:
        written = _distinct(network.nodes, "nodes")
        self.node: dict[Node, str] = dict(zip(network.nodes, written, strict=True))
        self.states: dict[Node, tuple[str, ...]] = {
            node: _distinct(states, f"states of {node!r}") for node, states in network.states.items()
        }

    def parents(self, network: Network, node: Node) -> list[str]:
        """The parents of a node, in the order of its table."""
        return [self.node[up] for up in network.parents[node]]


def is_identifier(name: str) -> bool:
    """Whether a name is a letter or underscore, and then letters, digits and underscores."""
    return _IDENTIFIER.fullmatch(name) is not None


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """An identifier for each name: the name itself if it is one, else a similar unique one."""
    listed = list(names)
    out = {name: name for name in listed if is_identifier(name)}
    taken = set(out)
    for name in listed:
        if name not in out:
            like = re.sub(r"[^A-Za-z0-9_]", "_", name)
            like = like if is_identifier(like) else f"x{like}"
            number, found = 2, like
            while found in taken:
                found, number = f"{like}_{number}", number + 1
            out[name] = found
            taken.add(found)
    return out


def _distinct(values: Iterable[object], what: str) -> tuple[str, ...]:
    seen: dict[str, object] = {}
    for value in values:
        text = str(value)
        if text in seen:
            raise NetworkError(
                f"two {what} are both written {text!r}: {seen[text]!r} and {value!r}. Rename one, or write JSON."
            )
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise NetworkError(f"one of the {what} is {text!r}, which cannot be written to a text file. Rename it.")
        seen[text] = value
    return tuple(seen)
