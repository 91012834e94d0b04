"""One prediction explained: each column's value, its probability in each class, and its weight in decibans.

The prior's weight and the weights of the columns sum to the log-odds of the explained class against another class.

Where columns depend on one another, the product is written with the factors of the model, P(hot|no, sunny), or as the
mean of several such products; the weights below it sum to the log-odds as ever.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from html import escape
from math import exp
from typing import Any, Self

import numpy as np

from deciban.charts import AGAINST, FOR
from deciban.explain.document import DocumentExplanation, shade_html, shown_text
from deciban.explain.evidence import Evidence
from deciban.extras import need
from deciban.read import distinct_texts, plain
from deciban.ties import largest_first, settled
from deciban.types import AnyArray, Floats
from deciban.units import decibans_from_nats

__all__ = ["Explanation", "FactorExplanation", "MeanExplanation", "Reason", "conditioned", "contestants", "explain"]


# The characters of a value that are shown, and the columns of the table that are text.
_LONGEST, _TEXTS = 40, 2
# How many known and unknown words of a text are listed, and how many of its characters are shaded.
_WORDS, _UNKNOWN, _SHADED = 8, 3, 1000

_LEFT, _LEFT_HEAD = 'td style="text-align:left"', 'th style="text-align:left"'
_IMPOSSIBLE = "The row has probability 0 in every class: the prediction is that of the priors alone."


@dataclass(frozen=True)
class Reason:
    """The evidence of one column: its value, P(value | class) in class order, and its weight of evidence.

    Where the column has a weight w in the model, `column_weight`, the probabilities are P(value | class)^w. An ignored
    column has no evidence at all; that of a text is the sum of its `words`.
    """

    name: str
    value: Any
    likelihoods: tuple[float, ...]
    weight_db: float
    log_likelihoods: tuple[float, ...]
    column_weight: float = 1.0
    is_ignored: bool = False
    words: DocumentExplanation | None = None

    def factor(self, j: int) -> str:
        """P(value | class j), as it is shown."""
        return _probability(self.likelihoods[j], self.log_likelihoods[j])

    @property
    def exponent(self) -> str:
        """The weight of the column as the exponent of its probability; nothing where it is 1."""
        return "" if self.column_weight == 1.0 else f"^{self.column_weight:.2f}"

    @property
    def is_missing(self) -> bool:
        return self.value is None or self.value != self.value


@dataclass(frozen=True, eq=False)
class Explanation:
    """The arithmetic of a prediction: the result of `explain` for a row of a table.

    ``print`` shows a table of the weights, the largest first; `to_text` also shows the product for each class.

    Attributes
    ----------
    classes : array
        The labels.
    label, against : a class
        The class that is explained, and the class that it is compared with.
    priors : tuple of float
        P(class).
    prior_db : float
        The weight of the prior, in decibans.
    reasons : tuple
        For each column its `name`, its `value`, P(value | class) as `likelihoods`, and `weight_db`. Where columns have
        weights in the model, the evidence is already multiplied by them. `is_ignored` is True for a column that the
        model ignores; `words` explains the text of a text column word by word.
    joint, log_joint : tuple of float
        P(class)·Π P(value | class), class by class, and its logarithm.
    is_impossible : bool
        True where the row has probability 0 in every class, so that the prediction is that of the priors alone.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> days = {"sky": ["sun", "sun", "rain"], "wind": ["low", "high", "high"]}
    >>> model = NaiveBayes(weights=None).fit(days, ["play", "play", "stay"])
    >>> explanation = model.explain({"sky": "sun", "wind": "high"})
    >>> str(explanation.label), round(explanation.total_db, 2)
    ('play', 5.28)
    >>> print(explanation.to_text())
    P(play)·P(sun|play)·P(high|play) = 0.6667 · 0.75 · 0.5 = 0.25
    P(stay)·P(sun|stay)·P(high|stay) = 0.3333 · 0.3333 · 0.6667 = 0.07407
    P(play) = 0.771 against P(stay) = 0.229
      column  value  decibans
      prior             +3.01
      sky     sun       +3.52
      wind    high      -1.25
      total             +5.28
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
        """The sum of all weights in decibans: the log-odds."""
        return self.prior_db + sum(reason.weight_db for reason in self.reasons)

    @cached_property
    def _texts(self) -> list[str]:
        """The classes as text, each another one."""
        return distinct_texts(self.classes.tolist())

    def _text(self, label: object) -> str:
        return self._texts[self.classes.tolist().index(plain(label))]

    @property
    def probabilities(self) -> dict[Any, float]:
        """P(class | row) for each class, from the sum of the evidence."""
        logs = np.array(self.log_joint)
        # Less the largest: the joint probability of a long row underflows.
        parts = np.array(self.priors) if self.is_impossible else np.exp(logs - logs.max())
        return dict(zip(self.classes.tolist(), (parts / parts.sum()).tolist(), strict=True))

    def to_text(self) -> str:
        """Write the product for each class as a lecture writes it, then the table of the weights.

        Returns
        -------
        text : str
        """
        return "\n".join([*(self._product(j) for j in range(len(self.classes))), str(self)])

    def weights(self) -> list[tuple[str, float]]:
        """List the weights of the prior, of each column in the order of the columns, and of the total.

        Returns
        -------
        weights : list of tuples
            The name and the weight in decibans.
        """
        reasons = [(self._named(reason), reason.weight_db) for reason in self.reasons]
        return [("prior", self.prior_db), *reasons, ("total", self.total_db)]

    def rows(self) -> list[tuple[str, str, float]]:
        """List the prior, the columns with the largest absolute weight first, and the total.

        Returns
        -------
        rows : list of tuples
            Column, value and weight in decibans.
        """
        reasons = [(reason.name, self._value(reason), reason.weight_db) for reason in self._ranked()]
        return [("prior", "", self.prior_db), *reasons, ("total", "", self.total_db)]

    def to_dict(self) -> dict[str, Any]:
        """Convert the explanation to plain values, reasons with the largest absolute weight first.

        Returns
        -------
        explanation : dict
            With the keys label, against, probabilities, prior_db, reasons and total_db.
        """
        return {
            "label": plain(self.label),
            "against": plain(self.against),
            "probabilities": dict(zip(self._texts, self.probabilities.values(), strict=True)),
            "prior_db": self.prior_db,
            "reasons": [_reason_dict(reason) for reason in self._ranked()],
            "total_db": self.total_db,
        }

    def with_column_weights(self, weights: Sequence[float]) -> Self:
        """Make the same explanation, which also shows by what weights the model multiplies the columns' evidence.

        Parameters
        ----------
        weights : sequence of float
            The weight of each column.

        Returns
        -------
        Explanation
        """
        pairs = zip(self.reasons, weights, strict=True)
        return replace(self, reasons=tuple(replace(reason, column_weight=weight) for reason, weight in pairs))

    def with_ignored(self, columns: Collection[str]) -> Self:
        """Make the same explanation, which says which columns the model ignores.

        Parameters
        ----------
        columns : collection of str
            Their names.

        Returns
        -------
        Explanation
        """
        if not columns:
            return self
        reasons = (replace(reason, is_ignored=reason.name in columns) for reason in self.reasons)
        return replace(self, reasons=tuple(reasons))

    def with_words(self, words: Mapping[str, DocumentExplanation]) -> Self:
        """Make the same explanation, which also explains texts word by word.

        Parameters
        ----------
        words : mapping
            The explanation of each text, by the name of its column.

        Returns
        -------
        Explanation
        """
        if not words:
            return self
        reasons = (replace(reason, words=words.get(reason.name)) for reason in self.reasons)
        return replace(self, reasons=tuple(reasons))

    def _ranked(self) -> list[Reason]:
        ranked = largest_first(self.reasons, lambda reason: abs(reason.weight_db))
        return sorted(ranked, key=lambda reason: reason.is_ignored)

    def _cells(self) -> list[list[str]]:
        """The table as text, without the decibans: a title and the rows; weights of columns where some are not 1."""
        cells = [["column", "value"], *([name, value] for name, value, _ in self.rows())]
        # Ignored columns have no weight to show, and a weight of 1 says nothing.
        weights = [1.0 if reason.is_ignored else reason.column_weight for reason in self._ranked()]
        shown = ["weight", "", *("" if weight == 1.0 else f"{weight:.2f}" for weight in weights), ""]
        if any(shown[1:]):
            cells = [[*row, weight] for row, weight in zip(cells, shown, strict=True)]
        return cells

    def plot(self, ax: Any = None) -> Any:
        """Draw the weights as signed bars with matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; new axes when None.

        Returns
        -------
        ax : matplotlib axes
        """
        names, weights = zip(*self.weights(), strict=True)
        if ax is None:
            plt = need("matplotlib.pyplot", "plot", "a plot")
            _, ax = plt.subplots(figsize=(8.0, 0.6 + 0.32 * len(names)), layout="constrained")
        ax.barh(range(len(names)), weights, color=[FOR if weight >= 0 else AGAINST for weight in weights])
        ax.set_yticks(range(len(names)), names)
        ax.invert_yaxis()
        ax.axvline(0.0, color="black", linewidth=0.8)
        ax.axhline(len(names) - 1.5, color="grey", linewidth=0.5)  # above the total
        ax.set_xlabel(f"decibans for {self.label} against {self.against}")
        return ax

    def __repr__(self) -> str:
        strongest = next(iter(self._ranked()), None)
        most = "" if strongest is None else f", most from {self._named(strongest)} ({strongest.weight_db:+z.2f})"
        return f"{type(self).__name__}({self._headline()}: {self.total_db:+z.2f} decibans{most})"

    def __str__(self) -> str:
        title, *cells = self._cells()
        rows = [[*title, "decibans"]]
        for row, db, reason in zip(cells, self._decibans(), [None, *self._ranked(), None], strict=True):
            rows.append([*row, db])
            # Words stand inside the cell of the value, so that no column of numbers adds them up a second time.
            rows += [["", line, *[""] * (len(row) - 1)] for line in _word_lines(reason)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        # Names and values to the left, numbers to the right.
        cells = [
            [*map(str.ljust, row[:_TEXTS], widths), *map(str.rjust, row[_TEXTS:], widths[_TEXTS:])] for row in rows
        ]
        lines = [f"  {'  '.join(row)}".rstrip() for row in cells]
        return "\n".join([self._headline(), *([_IMPOSSIBLE] if self.is_impossible else []), *lines])

    def _repr_html_(self) -> str:
        rows = self.rows()
        largest = max([1e-9, *(abs(weight) for *_, weight in rows if np.isfinite(weight))])
        sides = f"{escape(self._text(self.against))} ◂ ▸ {escape(self._text(self.label))}"
        title, *cells = self._cells()
        names = f"{_html_cells(title[:_TEXTS], _LEFT_HEAD)}{_html_cells(title[_TEXTS:], 'th')}"
        head = f"<tr>{names}<th>decibans</th><th style='text-align:center'>{sides}</th></tr>"
        reasons = [None, *self._ranked(), None]
        body = "".join(
            f"<tr>{_html_row(row, reason)}<td>{shown}</td><td>{_bar(weight, largest)}</td></tr>"
            for row, reason, shown, (*_, weight) in zip(cells, reasons, self._decibans(), rows, strict=True)
        )
        return f"<table><caption>{escape(self._headline())}</caption>{head}{body}</table>"

    def _decibans(self) -> list[str]:
        """The last column of the table: the weights of the prior, of the columns, and of the total."""
        reasons = ("ignored" if reason.is_ignored else f"{reason.weight_db:+z.2f}" for reason in self._ranked())
        return [f"{self.prior_db:+z.2f}", *reasons, f"{self.total_db:+z.2f}"]

    def _headline(self) -> str:
        probability = self.probabilities
        named = (f"P({self._text(name)}) = {_percent(probability[name])}" for name in (self.label, self.against))
        label, against = named
        return label if self.label == self.against else f"{label} against {against}"

    def _named(self, reason: Reason) -> str:
        return f"{reason.name} = {_shown(reason.value)}"

    def _value(self, reason: Reason) -> str:
        return _shown(reason.value)

    def _product(self, j: int) -> str:
        label = self._texts[j]
        known = [reason for reason in self.reasons if not reason.is_missing]
        names = [f"P({label})", *(f"P({_shown(reason.value)}|{label}){reason.exponent}" for reason in known)]
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
    """Explain one row of the evidence: a class, the most probable unless named, against another, the next.

    In a row that has probability 0 in every class, the columns weigh nothing: the prediction is that of the priors.
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


def contestants(
    evidence: Evidence, joint: Floats, label: object, against: object, *, is_impossible: bool
) -> tuple[object, object]:
    """The class to explain and the one to compare it with: those named, else the most probable of the others."""
    against = plain(against)
    # Settled, so that rounding does not decide between classes that are equally probable.
    order = evidence.classes[np.argsort(-settled(evidence.prior if is_impossible else joint), kind="stable")].tolist()
    if label is None:
        label = next((c for c in order if c != against), order[0])
    elif label == against:
        label = next((c for c in order if c != against), label)
    if against is None:
        against = next((c for c in order if c != label), label)
    return label, against


def _shown(value: object) -> str:
    if value is None or value != value:  # NaN
        return "?"
    if isinstance(value, float):
        return f"{value:z.4g}"
    text = " ".join(str(value).split()) if isinstance(value, str) else str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"


def _probability(p: float, log: float) -> str:
    """A probability; as a power of ten where it is too small for a float, as that of a long text is."""
    return f"{p:.4g}" if p > 0 or np.isneginf(log) else f"1e{decibans_from_nats(log) / 10:.0f}"


def _percent(p: float) -> str:
    """A probability with enough digits to distinguish it from 0 and 1."""
    return f"{p:.3f}" if 0.001 <= p <= 0.999 else f"{p:.2g}" if p < 0.5 else f"1 - {1 - p:.2g}" if p < 1 else "1"


def _html_cells(cells: Sequence[str], opening: str) -> str:
    return "".join(f"<{opening}>{escape(cell)}</{opening[:2]}>" for cell in cells)


def _html_row(row: Sequence[str], reason: Reason | None) -> str:
    """The cells of a row; a text is shaded, and its strongest words stand below it."""
    if reason is None or reason.words is None:
        return f"{_html_cells(row[:_TEXTS], _LEFT)}{_html_cells(row[_TEXTS:], 'td')}"
    name, _, *rest = row
    # Marks that reach beyond the cut are left out, not cut: the tooltip says the weight of the whole token.
    text, marks = reason.words.text[:_SHADED], [mark for mark in reason.words.marks if mark.end <= _SHADED]
    cut = "…" if len(reason.words.text) > _SHADED else ""
    lines = "".join(f"<div>{escape(line)}</div>" for line in _word_lines(reason))
    shaded = f'<div style="max-width:32em">{shade_html(text, marks)}{cut}{lines}</div>'
    return f"{_html_cells([name], _LEFT)}<{_LEFT}>{shaded}</td>{_html_cells(rest, 'td')}"


def _word_lines(reason: Reason | None) -> list[str]:
    """The strongest words of a text, a line for each."""
    if reason is None or reason.words is None:
        return []
    known, *weights, _ = reason.words.weights(_WORDS)
    weights += [known] if known[1] else []  # that there is a text, where its absence is evidence
    shown = [(shown_text(name), f"{weight:+z.2f}") for name, weight in weights]
    widths = [max((len(cells[k]) for cells in shown), default=0) for k in (0, 1)]
    unknown = ", ".join([shown_text(word) for word in reason.words.unknown[:_UNKNOWN]])
    more = ", …" if len(reason.words.unknown) > _UNKNOWN else ""
    lines = [f"· {name:<{widths[0]}}  {weight:>{widths[1]}}" for name, weight in shown]
    return [*lines, *([f"· unknown: {unknown}{more}"] if unknown else [])]


def _reason_dict(reason: Reason) -> dict[str, object]:
    """A reason as plain values; that of a text with its words."""
    values: dict[str, object] = {"column": reason.name, "value": plain(reason.value), "weight_db": reason.weight_db}
    if reason.is_ignored:
        values["is_ignored"] = True
    if reason.words is not None:
        values["words"] = reason.words.to_dict()["reasons"]
    return values


def _bar(weight: float, largest: float) -> str:
    width = 50.0 if not np.isfinite(weight) else 50.0 * abs(weight) / largest
    side = "left:50%" if weight >= 0 else f"left:{50 - width:.1f}%"
    colour = FOR if weight >= 0 else AGAINST
    style = f"position:absolute;{side};width:{width:.1f}%;height:100%;background:{colour}"
    return f'<div style="position:relative;width:16em;height:1em"><div style="{style}"></div></div>'


class _WithRemainders(Explanation):
    """A reason that belongs to no column has a name in brackets, and no value."""

    @classmethod
    def _extending(cls, plain: Explanation, **more: Any) -> Self:
        """The plain explanation, with the fields of this class."""
        return cls(**{field.name: getattr(plain, field.name) for field in fields(Explanation)}, **more)

    def _named(self, reason: Reason) -> str:
        return reason.name if reason.name.startswith("(") else super()._named(reason)

    def _value(self, reason: Reason) -> str:
        return "" if reason.name.startswith("(") else super()._value(reason)


@dataclass(frozen=True, eq=False, repr=False)
class FactorExplanation(_WithRemainders):
    """A product of factors; `terms` says how each is written, with the class as {}, and is None where there is none.

    With a temperature T the product is raised to the power 1/T.
    """

    terms: tuple[str | None, ...] = ()
    temperature: float = 1.0

    @classmethod
    def of(cls, plain: Explanation, terms: Sequence[str | None], temperature: float = 1.0) -> FactorExplanation:
        return cls._extending(plain, terms=tuple(terms), temperature=temperature)

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


@dataclass(frozen=True, eq=False, repr=False)
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
        return cls._extending(plain, models=tuple(models), temperature=temperature)

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


def conditioned(value: object, given: Sequence[object]) -> str:
    """How P(value | class, given) is written, with the class left open."""
    parts = [_safe(value), *(_safe(other) for other in given)]
    return f"P({parts[0]}|{', '.join(['{}', *parts[1:]])})"


def _safe(value: object) -> str:
    # The class is filled in with `str.format`, which must not read braces of the value.
    return _shown(value).replace("{", "{{").replace("}", "}}")


def _raised(text: str, temperature: float) -> str:
    """A product or a sum to the power 1/T."""
    return f"({text})^{1 / temperature:.3g}"


def _power(log: float) -> str:
    """exp of a logarithm."""
    return _probability(exp(log), log)
