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
    """A product of factors; `terms` says how each is written, with the class as {}, and is None where there is none."""

    terms: tuple[str | None, ...] = ()

    @classmethod
    def of(cls, plain: Explanation, terms: Sequence[str | None]) -> FactorExplanation:
        return cls(**_held(plain), terms=tuple(terms))

    def _product(self, j: int) -> str:
        label = self.classes[j]
        used = [(term, r) for term, r in zip(self.terms, self.reasons, strict=True) if term is not None]
        names = [f"P({label})", *(term.format(label) for term, _ in used)]
        factors = [f"{self.priors[j]:.4g}", *(reason.factor(j) for _, reason in used)]
        return f"{'·'.join(names)} = {' · '.join(factors)} = {_probability(self.joint[j], self.log_joint[j])}"


@dataclass(frozen=True, eq=False)
class MeanExplanation(_WithRemainders):
    """A mean over models; `models` has what each is named for, and the logarithm of P(row | class) in it, by class."""

    models: tuple[tuple[str, tuple[float, ...]], ...] = ()

    @classmethod
    def of(cls, plain: Explanation, models: Sequence[tuple[str, tuple[float, ...]]]) -> MeanExplanation:
        return cls(**_held(plain), models=tuple(models))

    def _product(self, j: int) -> str:
        from_each = " + ".join(f"{_power(logs[j])} ({name})" for name, logs in self.models)
        count = len(self.models)
        mean = f"({from_each}) / {count}" if count > 1 else from_each
        whole = _probability(self.joint[j], self.log_joint[j])
        return f"P({self.classes[j]})·mean = {self.priors[j]:.4g} · {mean} = {whole}"


def conditioned(value: Any, given: Sequence[Any]) -> str:
    """How P(value | class, given) is written, with the class left open."""
    parts = [_safe(value), *(_safe(other) for other in given)]
    return f"P({parts[0]}|{', '.join(['{}', *parts[1:]])})"


def _held(plain: Explanation) -> dict[str, Any]:
    return {field.name: getattr(plain, field.name) for field in fields(Explanation)}


def _safe(value: Any) -> str:
    return _shown(value).replace("{", "{{").replace("}", "}}")


def _power(log: float) -> str:
    """exp of a logarithm."""
    return _probability(exp(log), log)
