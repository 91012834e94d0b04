"""One prediction explained: each column's value, its probability in each class, and its weight in decibans.

The weights and the prior's weight sum to the log-odds of the class that is explained against the one it is held
against.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from deciban.explain.evidence import Evidence
from deciban.explain.plot import plot_explanation
from deciban.read import plain
from deciban.types import AnyArray, Floats
from deciban.units import decibans_from_nats

__all__ = ["Explanation", "Reason", "contestants", "explain"]

_LONGEST = 40


@dataclass(frozen=True)
class Reason:
    """What one column says: its value, P(value | class) in class order, and its weight."""

    name: str
    value: Any
    likelihoods: tuple[float, ...]
    weight_db: float
    log_likelihoods: tuple[float, ...]

    def factor(self, j: int) -> str:
        """P(value | class j), as it is shown."""
        return _probability(self.likelihoods[j], self.log_likelihoods[j])

    @property
    def is_missing(self) -> bool:
        return self.value is None or self.value != self.value


@dataclass(frozen=True, eq=False)
class Explanation:
    """The arithmetic of a prediction.

    Attributes
    ----------
    label, against : the class that is explained, and the one it is held against
    prior_db, reasons, total_db : the weights of evidence; the prior's and the reasons' sum to the total
    joint, log_joint : P(class)·Π P(value | class), class by class, and its logarithm
    is_impossible : no class can have made the row, so the prediction rests on the priors alone
    """

    classes: AnyArray
    label: Any
    against: Any
    priors: tuple[float, ...]
    prior_db: float
    reasons: tuple[Reason, ...]
    joint: tuple[float, ...]
    log_joint: tuple[float, ...]
    is_impossible: bool

    @property
    def total_db(self) -> float:
        return self.prior_db + sum(reason.weight_db for reason in self.reasons)

    def to_text(self) -> str:
        """The product for each class as the notes write it, then the weights."""
        lines = [self._product(j) for j in range(len(self.classes))]
        if self.is_impossible:
            lines.append("No class can have made this row: the prediction rests on the priors alone.")
        lines.append(f"Weight for {self.label} against {self.against}, in decibans:")
        width = max(len(name) for name, _ in self.weights())
        return "\n".join([*lines, *(f"  {name:<{width}}  {weight:+8.2f}" for name, weight in self.weights())])

    def weights(self) -> list[tuple[str, float]]:
        """The prior's weight, each column's and the total, with what each is called."""
        reasons = [(f"{reason.name} = {_shown(reason.value)}", reason.weight_db) for reason in self.reasons]
        return [("prior", self.prior_db), *reasons, ("total", self.total_db)]

    def plot(self, ax: Any = None) -> Any:
        """Draw the weights as signed bars with matplotlib; give the axes."""
        return plot_explanation(self, ax)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        rows = self.weights()
        finite = [abs(weight) for _, weight in rows if np.isfinite(weight)]
        largest = max([1e-9, *finite])
        head = f"<tr><th></th><th>decibans</th><th>{escape(str(self.against))} ◂ ▸ {escape(str(self.label))}</th></tr>"
        return f"<table>{head}{''.join(_bar(name, weight, largest) for name, weight in rows)}</table>"

    def _product(self, j: int) -> str:
        label = self.classes[j]
        known = [reason for reason in self.reasons if not reason.is_missing]
        names = [f"P({label})", *(f"P({_shown(reason.value)}|{label})" for reason in known)]
        factors = [f"{self.priors[j]:.4g}", *(reason.factor(j) for reason in known)]
        return f"{'·'.join(names)} = {' · '.join(factors)} = {_probability(self.joint[j], self.log_joint[j])}"


def explain(
    evidence: Evidence,
    values: Sequence[Any],
    label: Any = None,
    against: Any = None,
    row: int = 0,
    *,
    is_impossible: bool = False,
) -> Explanation:
    """Explain one row of the evidence: a class, the best one unless named, against another, the next best.

    Of a row that no class can have made, the columns weigh nothing: the prediction is the prior's.
    """
    joint = evidence.joint[row]
    label, against = contestants(evidence, joint, label, against, is_impossible=is_impossible)
    columns = np.zeros(len(evidence.names)) if is_impossible else evidence.weights_db(label, against)[row]
    with np.errstate(over="ignore"):
        likelihoods = np.exp(evidence.columns[row])
        priors, joints = np.exp(evidence.prior), np.exp(joint)
    reasons = tuple(
        Reason(name, value, tuple(likelihoods[i].tolist()), float(columns[i]), tuple(evidence.columns[row, i].tolist()))
        for i, (name, value) in enumerate(zip(evidence.names, values, strict=True))
    )
    prior_db = evidence.prior_db(label, against)
    products = tuple(joints.tolist()), tuple(joint.tolist())
    return Explanation(evidence.classes, label, against, tuple(priors), prior_db, reasons, *products, is_impossible)


def contestants(evidence: Evidence, joint: Floats, label: Any, against: Any, *, is_impossible: bool) -> tuple[Any, Any]:
    """The class to be explained and the one it is held against: those named, else the best that are left."""
    against = plain(against)
    order = evidence.classes[np.argsort(-(evidence.prior if is_impossible else joint), kind="stable")].tolist()
    if label is None:
        label = next((c for c in order if c != against), order[0])
    elif label == against:
        label = next((c for c in order if c != against), label)
    if against is None:
        against = next((c for c in order if c != label), label)
    return label, against


def _shown(value: Any) -> str:
    if value is None or value != value:
        return "?"
    if isinstance(value, float):
        return f"{value:.4g}"
    text = " ".join(str(value).split()) if isinstance(value, str) else str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"


def _probability(p: float, log: float) -> str:
    """A probability; as a power of ten where it is too small for a float, as that of a long text is."""
    return f"{p:.4g}" if p > 0 or np.isneginf(log) else f"1e{decibans_from_nats(log) / 10:.0f}"


def _bar(name: str, weight: float, largest: float) -> str:
    width = 50.0 if not np.isfinite(weight) else 50.0 * abs(weight) / largest
    side = "left:50%" if weight >= 0 else f"left:{50 - width:.1f}%"
    colour = "#2b7bba" if weight >= 0 else "#c44e52"
    style = f"position:absolute;{side};width:{width:.1f}%;height:100%;background:{colour}"
    box = f'<div style="position:relative;width:16em;height:1em"><div style="{style}"></div></div>'
    return f"<tr><td>{escape(name)}</td><td>{weight:+.2f}</td><td>{box}</td></tr>"
