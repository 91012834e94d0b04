"""Graphs as words, Graphviz DOT and Mermaid."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal, NamedTuple

from deciban.choices import counted

__all__ = ["SYMBOLS", "Mark", "Picture", "Stroke", "in_words", "to_dot", "to_mermaid"]

Mark = Literal["tail", "arrow", "circle"]

SYMBOLS: dict[tuple[Mark, Mark], str] = {
    ("tail", "arrow"): "→",
    ("circle", "arrow"): "o→",
    ("arrow", "arrow"): "↔",
    ("circle", "circle"): "o—o",
    ("tail", "tail"): "—",
    ("tail", "circle"): "—o",
}
"""The symbol of an edge by the marks at its ends; other combinations are these reversed."""

_SHOWN = 30
_DOT: dict[Mark, str] = {"tail": "none", "arrow": "normal", "circle": "odot"}
_MERMAID: dict[tuple[Mark, Mark], str] = {
    ("tail", "arrow"): "-->",
    ("arrow", "arrow"): "<-->",
    ("circle", "circle"): "o--o",
    ("tail", "tail"): "---",
    ("tail", "circle"): "--o",
    # Mermaid cannot draw a circle at one end and an arrowhead at the other: the symbol is the label of the edge.
    ("circle", "arrow"): '-->|"o→"|',
}


class Stroke(NamedTuple):
    """An edge between two labels, by their indices, and the marks at its ends."""

    a: int
    b: int
    at_a: Mark
    at_b: Mark

    @property
    def in_place(self) -> Stroke:
        """A symmetric edge starts at the node that comes first."""
        return self._replace(a=min(self[:2]), b=max(self[:2])) if self.at_a == self.at_b else self


@dataclass(frozen=True)
class Picture:
    """The labels of the nodes, and the edges between them.

    If known, also how strong each edge is, from 0 to 1, and whether it is weak, which makes it a dashed line; and the
    colour of each node, by its role in a ``Look``.
    """

    labels: tuple[str, ...]
    edges: tuple[Stroke, ...]
    strengths: tuple[float, ...] = ()
    is_weak: tuple[bool, ...] = ()
    fills: tuple[str, ...] = ()


def in_words(picture: Picture) -> str:
    """The edges, then the nodes without one; a long list is shortened."""
    labels = picture.labels
    joined = {index for edge in picture.edges for index in edge[:2]}
    parts = [f"{labels[a]} {SYMBOLS[at_a, at_b]} {labels[b]}" for a, b, at_a, at_b in picture.edges]
    parts += [label for index, label in enumerate(labels) if index not in joined]
    if len(parts) > _SHOWN:
        parts = [
            f"{counted(len(labels), 'node')}, {counted(len(picture.edges), 'edge')}: {parts[0]}",
            *parts[1:_SHOWN],
            "…",
        ]
    return ", ".join(parts)


def to_dot(picture: Picture) -> str:
    """The graph in the DOT language of Graphviz."""
    quoted = [json.dumps(label, ensure_ascii=False) for label in picture.labels]
    lines = [f"  {index} [label={label}];" for index, label in enumerate(quoted)]
    for edge in picture.edges:
        a, b, at_a, at_b = edge.in_place
        marks = f" [dir=both, arrowtail={_DOT[at_a]}, arrowhead={_DOT[at_b]}]"
        plain = {("tail", "arrow"): "", ("tail", "tail"): " [dir=none]"}
        lines.append(f"  {a} -> {b}{plain.get((at_a, at_b), marks)};")
    return "\n".join(["digraph {", *lines, "}"]) + "\n"


def to_mermaid(picture: Picture) -> str:
    """The graph as a Mermaid flowchart."""
    lines = [f'  n{index}["{_mermaid_text(label)}"]' for index, label in enumerate(picture.labels)]
    for a, b, at_a, at_b in (edge.in_place for edge in picture.edges):
        lines.append(f"  n{a} {_MERMAID[at_a, at_b]} n{b}")
    return "\n".join(["flowchart TD", *lines]) + "\n"


def _mermaid_text(label: str) -> str:
    return label.replace("#", "#35;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")
