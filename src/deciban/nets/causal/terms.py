"""Formulas of observational probabilities: P(a | b), sums, products and ratios of them.

A term is a function of its free variables, those that no sum runs over. The x of an inner sum shadows an outer x, as in

  Σ_z P(z | x) Σ_x P(y | x, z) P(x),

where the x of the second sum is not that of P(z | x). The functions here build terms and simplify them by the axioms of
probability:

  Σ_a P(a, b | c) = P(b | c)      Σ_a f(a) g = g Σ_a f(a)      P(a | b, c) P(b | c) = P(a, b | c)

Formulas as text, LaTeX and HTML.

A variable that a sum runs over gets a prime if an outer variable has the same name:
Σ_tar P(tar | smoking) Σ_smoking′ P(cancer | smoking′, tar) P(smoking′).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

from deciban.nets.graphs.graph import Node

__all__ = [
    "HTML",
    "LATEX",
    "TEXT",
    "Probability",
    "Product",
    "Ratio",
    "Style",
    "Sum",
    "Term",
    "divide",
    "mentioned",
    "multiply",
    "probability",
    "sum_out",
    "tidy",
    "write",
    "write_effect",
]


Names = frozenset[Node]


@dataclass(frozen=True)
class Probability:
    """P(of | given)."""

    of: Names
    given: Names

    @cached_property
    def free(self) -> Names:
        return self.of | self.given


@dataclass(frozen=True)
class Sum:
    """Σ over some variables."""

    over: Names
    body: Term

    @cached_property
    def free(self) -> Names:
        return self.body.free - self.over


@dataclass(frozen=True)
class Product:
    """A product; without factors it is 1."""

    factors: tuple[Term, ...]

    @cached_property
    def free(self) -> Names:
        return frozenset().union(*(factor.free for factor in self.factors))


@dataclass(frozen=True)
class Ratio:
    """One term over another."""

    top: Term
    bottom: Term

    @cached_property
    def free(self) -> Names:
        return self.top.free | self.bottom.free


Term = Probability | Sum | Product | Ratio


def probability(of: Iterable[Node], given: Iterable[Node] = ()) -> Probability:
    """P(of | given)."""
    return Probability(frozenset(of), frozenset(given))


def multiply(terms: Iterable[Term]) -> Term:
    """The product, with nested products flattened."""
    factors = [factor for term in terms for factor in _factors(term)]
    return factors[0] if len(factors) == 1 else Product(tuple(factors))


def sum_out(over: Iterable[Node], term: Term) -> Term:
    """Σ_over term, without the variables that sum to 1 and with constant factors in front of the sum."""
    left, factors = set(over), list(_factors(term))
    if isinstance(term, Sum) and not left & term.over:
        return sum_out(left | term.over, term.body)
    while (found := _sums_to_one(left, factors)) is not None:
        name, factors = found
        left.discard(name)
    outside = [factor for factor in factors if not factor.free & left]
    inside = multiply(factor for factor in factors if factor.free & left)
    return multiply([*outside, Sum(frozenset(left), inside)] if left else outside)


def divide(top: Term, bottom: Term) -> Term:
    """top / bottom, with common factors cancelled."""
    above, below = list(_factors(top)), list(_factors(bottom))
    for factor in (Counter(above) & Counter(below)).elements():
        above.remove(factor)
        below.remove(factor)
    if len(above) == len(below) == 1 and (one := _conditional(above[0], below[0])):
        return one
    return Ratio(multiply(above), multiply(below)) if below else multiply(above)


def tidy(term: Term) -> Term:
    """The same term with every P(a | b, c) P(b | c) written as P(a, b | c)."""
    match term:
        case Probability():
            return term
        case Sum(over, body):
            return sum_out(over, tidy(body))
        case Ratio(top, bottom):
            return divide(tidy(top), tidy(bottom))
    factors = [tidy(factor) for factor in term.factors]
    while (shorter := _chained(factors)) is not None:
        factors = shorter
    return multiply(factors)


def mentioned(term: Term) -> Names:
    """All variables of a term, including those that sums run over."""
    match term:
        case Probability():
            return term.free
        case Sum(over, body):
            return over | mentioned(body)
        case Ratio(top, bottom):
            return mentioned(top) | mentioned(bottom)
    return frozenset().union(*map(mentioned, term.factors))


def _factors(term: Term) -> tuple[Term, ...]:
    return term.factors if isinstance(term, Product) else (term,)


def _sums_to_one(over: set[Node], factors: list[Term]) -> tuple[Node, list[Term]] | None:
    """A variable that occurs in one factor only, before the bar, and the factors without it."""
    for name in over:
        indices = [index for index, factor in enumerate(factors) if name in factor.free]
        only = factors[indices[0]] if len(indices) == 1 else None
        if isinstance(only, Probability) and name in only.of:
            rest = only.of - {name}
            kept: list[Term] = [Probability(rest, only.given)] if rest else []
            return name, [*factors[: indices[0]], *kept, *factors[indices[0] + 1 :]]
    return None


def _conditional(top: Term, bottom: Term) -> Probability | None:
    """P(a, b | c) / P(b | c) = P(a | b, c)."""
    if not isinstance(top, Probability) or not isinstance(bottom, Probability) or top.given != bottom.given:
        return None
    return Probability(top.of - bottom.of, top.given | bottom.of) if bottom.of < top.of else None


def _chained(factors: list[Term]) -> list[Term] | None:
    """The factors with one P(a | b, c) P(b | c) replaced by P(a, b | c); None if there is none."""
    for first, one in enumerate(factors):
        for second, other in enumerate(factors):
            if isinstance(one, Probability) and isinstance(other, Probability) and one.given == other.free:
                both = Probability(one.of | other.of, other.given)
                return [both if index == first else factor for index, factor in enumerate(factors) if index != second]
    return None


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
