"""Formulas as text, LaTeX and HTML.

A variable that a sum runs over gets a prime if an outer variable has the same name:
Σ_tar P(tar | smoking) Σ_smoking′ P(cancer | smoking′, tar) P(smoking′).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from deciban.nets.causal.identification.terms import Probability, Product, Ratio, Sum, Term
from deciban.nets.graphs.base import Node

__all__ = ["HTML", "LATEX", "TEXT", "Style", "write", "write_effect"]


@dataclass(frozen=True)
class Style:
    """How the parts of a formula are written."""

    name: Callable[[str], str]
    bar: str
    prime: str
    space: str
    sum: str
    ratio: str
    brackets: str
    do: str


def _latex_name(name: str) -> str:
    plain = re.sub(r"([#$%&_{}])", r"\\\1", name.replace("\\", r"\backslash "))
    return plain if len(name) == 1 else rf"\mathrm{{{plain}}}"


def _text_sum(names: str) -> str:
    return f"{{{names}}}" if ", " in names else names


TEXT = Style(str, " | ", "′", " ", "Σ_{over} {body}", "[{top}] / [{bottom}]", "({body})", "do({names})")
LATEX = Style(
    _latex_name, r" \mid ", "'", r"\, ", r"\sum_{{{over}}} {body}", r"\frac{{{top}}}{{{bottom}}}",
    r"\left({body}\right)", r"\mathrm{{do}}({names})",
)  # fmt: skip
HTML = Style(
    lambda name: f"<i>{escape(name)}</i>", " | ", "′", " ", "Σ<sub>{over}</sub> {body}", "[{top}] / [{bottom}]",
    "({body})", "do({names})",
)  # fmt: skip


def write(term: Term, style: Style, order: Sequence[Node], free: Iterable[Node]) -> str:
    """A term in a style; ``order`` is the order of the names, ``free`` are the free variables."""
    rank = {node: index for index, node in enumerate(order)}
    return _Writer(style, rank).write(term, {node: style.name(str(node)) for node in free})


def write_effect(style: Style, effect: Sequence[Node], cause: Sequence[Node], given: Sequence[Node]) -> str:
    """P(y | do(x), w)."""
    names = [", ".join(style.name(str(node)) for node in part) for part in (effect, cause, given)]
    behind = ", ".join(part for part in (style.do.format(names=names[1]), names[2]) if part)
    return f"P({names[0]}{style.bar}{behind})"


@dataclass(frozen=True)
class _Writer:
    style: Style
    rank: Mapping[Node, int]

    def write(self, term: Term, names: Mapping[Node, str]) -> str:
        match term:
            case Probability(of, given):
                before, behind = self._listed(of, names), self._listed(given, names)
                return f"P({before}{self.style.bar}{behind})" if behind else f"P({before})"
            case Sum(over, body):
                return self._sum(over, body, names)
            case Ratio(top, bottom):
                return self.style.ratio.format(top=self.write(top, names), bottom=self.write(bottom, names))
            case Product(factors):
                return self._product(factors, names)

    def _sum(self, over: frozenset[Node], body: Term, names: Mapping[Node, str]) -> str:
        inner = dict(names)
        for node in sorted(over, key=self.rank.__getitem__):
            shown = self.style.name(str(node))
            while shown in names.values():
                shown += self.style.prime
            inner[node] = shown
        listed = self._listed(over, inner)
        shown_over = _text_sum(listed) if self.style is TEXT else listed
        return self.style.sum.format(over=shown_over, body=self.write(body, inner))

    def _product(self, factors: Sequence[Term], names: Mapping[Node, str]) -> str:
        """The factors in a row; a sum that is not the last factor is put in brackets."""
        ordered = sorted(factors, key=lambda factor: isinstance(factor, Sum))
        shown = [self.write(factor, names) for factor in ordered]
        for index, factor in enumerate(ordered[:-1]):
            if isinstance(factor, Sum):
                shown[index] = self.style.brackets.format(body=shown[index])
        return self.style.space.join(shown) or "1"

    def _listed(self, nodes: frozenset[Node], names: Mapping[Node, str]) -> str:
        return ", ".join(names[node] for node in sorted(nodes, key=self.rank.__getitem__))
