"""The explanation of a prediction for one document: the weight of each token, in decibans, and its spans in the text.

    total = prior + Σ_{known tokens} weight (+ the weight of absent tokens, for the Bernoulli model)

is the log-odds of the explained class against another. In the text, a term's weight is divided evenly among its
occurrences, and that of an n-gram among its tokens or characters. So the weights of the marks sum to those of the
terms, except for terms without a span, such as stems.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from deciban.choices import counted
from deciban.explain.shading import Mark, shade_html, shade_terminal, shown_text
from deciban.read import plain

__all__ = ["DocumentExplanation", "TokenReason"]

_ABSENT = "absent tokens"


@dataclass(frozen=True)
class TokenReason:
    """One token: how often it counts, and the weight of all its occurrences."""

    token: str
    count: int
    weight_db: float


@dataclass(frozen=True, eq=False)
class DocumentExplanation:
    """The weights of evidence of a document's prediction: the result of `explain` of a model of texts.

    ``print`` shows the document and a table of the weights; a notebook colours the document's tokens.

    Attributes
    ----------
    text : str
        The document.
    label, against : a class
        The explained class, and the class it is compared with.
    prior_db : float
        The weight of the prior, in decibans.
    reasons : tuple
        For each known token its `token`, its `count` and `weight_db`, by decreasing absolute weight.
    absent_db : float or None
        For the Bernoulli model, the weight of all absent tokens; else None.
    unknown : tuple of str
        The tokens of the document that the model does not know; their weight is 0.
    marks : tuple
        The spans of tokens in the text, with their weights.
    prior_name : str
        The name of the first weight: "prior", or "intercept" of a linear classifier.
    is_impossible : bool
        True where both classes are impossible, or both certain, so that the prediction depends on the priors alone.

    Examples
    --------
    >>> from deciban import TextNB
    >>> model = TextNB(smoothing=1, temperature=None).fit(
    ...     ["free prize", "lunch at noon"], ["spam", "ham"]
    ... )
    >>> print(model.explain("free lunch, free prize").to_text(shaded=False))
    free lunch, free prize
    Weight for spam against ham, in decibans:
      prior     +0.00
      free      +3.59
      prize     +3.59
      lunch     -2.43
      total     +4.75
    """

    text: str
    label: Any
    against: Any
    prior_db: float
    reasons: tuple[TokenReason, ...]
    absent_db: float | None
    unknown: tuple[str, ...]
    marks: tuple[Mark, ...]
    prior_name: str = "prior"
    is_impossible: bool = False

    @property
    def is_unknown(self) -> bool:
        """True where no token of the document is known, so that the prediction depends on the priors alone."""
        return not self.reasons and self.absent_db is None

    @property
    def total_db(self) -> float:
        """The sum of all weights in decibans: the log-odds."""
        return self.prior_db + sum(reason.weight_db for reason in self.reasons) + (self.absent_db or 0.0)

    def weights(self, most: int | None = None) -> list[tuple[str, float]]:
        """List the weights of the prior, of each token, of absent tokens, and the total.

        Parameters
        ----------
        most : int, optional
            The number of tokens listed: those with the largest absolute weights. The others are summed. All when None.

        Returns
        -------
        weights : list of tuples
            The name and the weight in decibans.
        """
        shown, rest = self.reasons[:most], self.reasons[len(self.reasons[:most]) :]
        lines = [(self.prior_name, self.prior_db), *((_counted(reason), reason.weight_db) for reason in shown)]
        if rest:
            lines.append((f"… {len(rest)} more tokens", sum(reason.weight_db for reason in rest)))
        if self.absent_db is not None:
            lines.append((_ABSENT, self.absent_db))
        return [*lines, ("total", self.total_db)]

    def to_dict(self) -> dict[str, Any]:
        """Convert the explanation to plain values.

        Returns
        -------
        explanation : dict
        """
        return {
            "label": plain(self.label),
            "against": plain(self.against),
            "prior_db": self.prior_db,
            "reasons": [asdict(reason) for reason in self.reasons],
            **({} if self.absent_db is None else {"absent_db": self.absent_db}),
            "total_db": self.total_db,
            "unknown": list(self.unknown),
        }

    def to_text(self, most: int | None = 20, *, shaded: bool | None = None) -> str:
        """Write the document, then a table of the weights.

        Parameters
        ----------
        most : int, optional
            The number of tokens in the table; all when None.
        shaded : bool, optional
            Whether to colour the document's tokens, blue for the class and red against it, stronger for larger weights,
            and to dim unknown ones. None does so if the standard output is a terminal.

        Returns
        -------
        text : str
        """
        if shaded is None:
            shaded = sys.stdout.isatty()
        body = shade_terminal(self.text, self.marks) if shaded else shown_text(self.text)
        return "\n".join([body, *self._lines(most)])

    def _lines(self, most: int | None) -> Iterator[str]:
        if self.is_impossible:
            yield "Both classes are impossible, or both certain: the prediction depends on the priors alone."
        elif self.is_unknown:
            yield f"No token of the document is known: the prediction depends on the {self.prior_name} alone."
        yield f"Weight for {self.label} against {self.against}, in decibans:"
        weights = [(shown_text(name), weight) for name, weight in self.weights(most)]
        width = max(len(name) for name, _ in weights)
        yield from (f"  {name:<{width}}  {weight:+8.2f}" for name, weight in weights)
        if self.unknown:
            yield shown_text(f"Unknown: {', '.join(self.unknown[:most])}{self._more_unknown(most)}")

    def _more_unknown(self, most: int | None) -> str:
        hidden = len(self.unknown) - len(self.unknown[:most])
        return f", and {hidden} more" if hidden else ""

    def __repr__(self) -> str:
        unknown = f", {len(self.unknown)} unknown" if self.unknown else ""
        odds = f"{self.label!r} against {self.against!r}: {self.total_db:+.2f} dB"
        return f"DocumentExplanation({odds}, {counted(len(self.reasons), 'known token')}{unknown})"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(shown_text(name))}</td><td style='text-align:right'>{weight:+.2f}</td></tr>"
            for name, weight in self.weights(20)
        )
        title = f"decibans for <b>{escape(str(self.label))}</b> against <b>{escape(str(self.against))}</b>"
        head = f"<tr><th></th><th>{title}</th></tr>"
        note = "<p>No token of the document is known.</p>" if self.is_unknown else ""
        return f"{shade_html(self.text, self.marks)}{note}<table>{head}{rows}</table>"


def _counted(reason: TokenReason) -> str:
    return reason.token if reason.count == 1 else f"{reason.token} ×{reason.count}"
