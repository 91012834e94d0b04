"""Explanations of models in which columns depend on one another: the factors as the model has them.

A product over columns that depend on others, P(hot|no, sunny), or the mean of several such products; the weights below
it are those of any explanation, and sum to the log-odds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import exp
from typing import Any

from deciban.explain.explanation import Explanation, Reason, _probability, _shown

__all__ = ["FactorExplanation", "MeanExplanation", "conditioned"]


class _WithRemainders(Explanation):
    """A reason that belongs to no column has a name in brackets, and no value."""

    def _named(self, reason: Reason) -> str:
        return reason.name if reason.name.startswith("(") else super()._named(reason)

    def _value(self, reason: Reason) -> str:
        return "" if reason.name.startswith("(") else super()._value(reason)


@dataclass(frozen=True, eq=False)
class FactorExplanation(_WithRemainders):
    """A product of factors; `terms` says how each is written, with the class as {}, and is None where there is none.

    With a temperature T the product is raised to the power 1/T.
    """

    terms: tuple[str | None, ...] = ()
    temperature: float = 1.0

    @classmethod
    def of(cls, plain: Explanation, terms: Sequence[str | None], temperature: float = 1.0) -> FactorExplanation:
        return cls(**_held(plain), terms=tuple(terms), temperature=temperature)

    def _product(self, j: int) -> str:
        label = self._texts[j]
        used = [(term, r) for term, r in zip(self.terms, self.reasons, strict=True) if term is not None]
        factors = [_power(reason.log_likelihoods[j] * self.temperature) for _, reason in used]
        product, values = "·".join(term.format(label) for term, _ in used), " · ".join(factors)
        if self.temperature != 1.0 and used:
            product, values = (_raised(text, self.temperature) for text in (product, values))
        names, numbers = [f"P({label})", product], [f"{self.priors[j]:.4g}", values]
        whole = _probability(self.joint[j], self.log_joint[j])
        return f"{'·'.join(filter(None, names))} = {' · '.join(filter(None, numbers))} = {whole}"


@dataclass(frozen=True, eq=False)
class MeanExplanation(_WithRemainders):
    """A mean over models: what each is named for, its weight, and the logarithm of P(row | class) in it, by class.

    With a temperature T the mean is raised to the power 1/T.
    """

    models: tuple[tuple[str, float, tuple[float, ...]], ...] = ()
    temperature: float = 1.0

    @classmethod
    def of(
        cls, plain: Explanation, models: Sequence[tuple[str, float, tuple[float, ...]]], temperature: float = 1.0
    ) -> MeanExplanation:
        return cls(**_held(plain), models=tuple(models), temperature=temperature)

    def _product(self, j: int) -> str:
        name, mean = "mean", self._mean(j)
        if self.temperature != 1.0:
            name, mean = f"mean^{1 / self.temperature:.3g}", _raised(mean, self.temperature)
        whole = _probability(self.joint[j], self.log_joint[j])
        return f"P({self.classes[j]})·{name} = {self.priors[j]:.4g} · {mean} = {whole}"

    def _mean(self, j: int) -> str:
        weights = [weight for _, weight, _ in self.models]
        is_even, total = len(set(weights)) == 1, sum(weights)
        parts = [
            f"{_power(logs[j])} ({name})" if is_even else f"{weight / total:.3g}·{_power(logs[j])} ({name})"
            for name, weight, logs in self.models
        ]
        if len(parts) == 1:
            return f"{_power(self.models[0][2][j])} ({self.models[0][0]})"
        return f"({' + '.join(parts)}) / {len(parts)}" if is_even else " + ".join(parts)


def conditioned(value: Any, given: Sequence[Any]) -> str:
    """How P(value | class, given) is written, with the class left open."""
    parts = [_safe(value), *(_safe(other) for other in given)]
    return f"P({parts[0]}|{', '.join(['{}', *parts[1:]])})"


def _held(plain: Explanation) -> dict[str, Any]:
    return {field.name: getattr(plain, field.name) for field in fields(Explanation)}


def _safe(value: Any) -> str:
    return _shown(value).replace("{", "{{").replace("}", "}}")


def _raised(text: str, temperature: float) -> str:
    """A product or a sum to the power 1/T."""
    return f"({text})^{1 / temperature:.3g}"


def _power(log: float) -> str:
    """exp of a logarithm."""
    return _probability(exp(log), log)
