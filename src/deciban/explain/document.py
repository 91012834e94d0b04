"""One prediction from a document explained: what each of its tokens says, in decibans, and where it stands.

    total = prior + Σ_{known tokens} weight (+ what the tokens say that it lacks, for the Bernoulli model)

is the log-odds of the class that is explained against the one it is held against. In the text, a term's weight is
shared evenly among the places where it stands; that of an n-gram, among its tokens or characters. So what the marks of
a text say sums to what its terms say, but for terms that stand nowhere in it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from deciban.explain.shading import Mark, shade_html, shade_terminal, shown_text

__all__ = ["DocumentExplanation", "TokenReason"]

_LACKED = "tokens it lacks"


@dataclass(frozen=True)
class TokenReason:
    """What one token says: how often it counts, and the weight of all of them."""

    token: str
    count: int
    weight_db: float


@dataclass(frozen=True, eq=False)
class DocumentExplanation:
    """The arithmetic of a document's prediction.

    Attributes
    ----------
    text : the document
    label, against : the class that is explained, and the one it is held against
    prior_db, reasons, absent_db, total_db : the weights of evidence. The prior's, those of the known tokens, the
        heaviest first, and, for the Bernoulli model, that of all tokens that the document lacks (else None) sum to the
        total, the log-odds
    unknown : tokens of the document of which the model knows nothing, which say nothing
    marks : where tokens stand in the text, and what each place says
    prior_name : what the first weight is called: "prior", or "constant" of a linear classifier
    is_impossible : both classes are impossible, or both certain, so the prediction rests on the priors alone
    is_unknown : no token of the document is known, so the prediction rests on the priors alone
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
        return not self.reasons and self.absent_db is None

    @property
    def total_db(self) -> float:
        return self.prior_db + sum(reason.weight_db for reason in self.reasons) + (self.absent_db or 0.0)

    def weights(self, most: int | None = None) -> list[tuple[str, float]]:
        """The prior's weight, each token's, that of what is lacking, and the total, with what each is called.

        Of more than `most` tokens, the heaviest are listed and the others summed up.
        """
        shown, rest = self.reasons[:most], self.reasons[len(self.reasons[:most]) :]
        lines = [(self.prior_name, self.prior_db), *((_counted(reason), reason.weight_db) for reason in shown)]
        if rest:
            lines.append((f"… {len(rest)} more tokens", sum(reason.weight_db for reason in rest)))
        if self.absent_db is not None:
            lines.append((_LACKED, self.absent_db))
        return [*lines, ("total", self.total_db)]

    def to_text(self, most: int | None = 20, *, shaded: bool | None = None) -> str:
        """The document, then the weights; `most` tokens, or all where it is None.

        `shaded` colours the document's tokens, blue for the class and red against it, the heavier the stronger, and
        dims unknown ones; None does so where the standard output is a terminal.
        """
        if shaded is None:
            shaded = sys.stdout.isatty()
        body = shade_terminal(self.text, self.marks) if shaded else shown_text(self.text)
        return "\n".join([body, *self._lines(most)])

    def _lines(self, most: int | None) -> Iterator[str]:
        if self.is_impossible:
            yield "Both classes are impossible, or both certain: the prediction rests on the priors alone."
        elif self.is_unknown:
            yield f"No token of the document is known: the prediction rests on the {self.prior_name} alone."
        yield f"Weight for {self.label} against {self.against}, in decibans:"
        weights = [(shown_text(name), weight) for name, weight in self.weights(most)]
        width = max(len(name) for name, _ in weights)
        yield from (f"  {name:<{width}}  {weight:+8.2f}" for name, weight in weights)
        if self.unknown:
            yield shown_text(f"Unknown: {', '.join(self.unknown[:most])}{self._more_unknown(most)}")

    def _more_unknown(self, most: int | None) -> str:
        hidden = len(self.unknown) - len(self.unknown[:most])
        return f", and {hidden} more" if hidden else ""

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
