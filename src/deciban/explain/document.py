"""The explanation of a prediction for one document: the weight of each token, in decibans, and its spans in the text.

    total = prior + Σ_{known tokens} weight (+ the weight of absent tokens, for the Bernoulli model)

is the log-odds of the explained class against another. In the text, a term's weight is divided evenly among its
occurrences, and that of an n-gram among its tokens or characters. So the weights of the marks sum to those of the
terms, except for terms without a span, such as stems.

A document may be long, so what is shown and sent is bounded: the text and its marks by `MOST_LETTERS`, the tokens by
`MOST_TOKENS`; what is left out is counted and summed.

Tokens are shaded by their weights, as HTML or for a terminal: evidence for the class blue, evidence against it red, and
the larger the weight, the stronger the shade. Documents may contain any character: control characters are replaced by
their Unicode symbols, and HTML is escaped.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from io import StringIO
from typing import Any

from deciban.choices import counted
from deciban.read import distinct_texts, plain

__all__ = [
    "MOST_LETTERS",
    "MOST_TOKENS",
    "DocumentExplanation",
    "Mark",
    "TokenReason",
    "shade_html",
    "shade_terminal",
    "shown_text",
]


# So many characters of a document are shown, with their marks: about four pages.
MOST_LETTERS = 10_000
# So many tokens are listed in plain values, the strongest; and so many unknown ones, the first.
MOST_TOKENS = 50
_ABSENT = "absent tokens"

# The colours of `charts`, by their parts.
_FOR, _AGAINST = (43, 123, 186), (196, 78, 82)
# Black and white letters have a contrast of at least 5.7 on the strongest shade.
_STRONGEST = 0.65
# Control characters would move the cursor of a terminal or recolour it; replacements have the same length, so that
# marks stay where they are.
_PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"} | {0x7F: 0x2421}
# Further controls, and lone surrogates, which cannot be written as UTF-8.
_PICTURES |= dict.fromkeys([*range(0x80, 0xA0), *range(0xD800, 0xE000)], 0xFFFD)
_UNKNOWN = "border-bottom:1px dotted grey"


@dataclass(frozen=True)
class Mark:
    """A span of a text, its weight, and whether the model knows its token."""

    start: int
    end: int
    weight_db: float
    is_known: bool = True


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
        For each distinct known token its `token`, its `count` and `weight_db`, by decreasing absolute weight.
    absent_db : float or None
        For the Bernoulli model, the weight of all absent tokens; else None.
    unknown : tuple of str
        The first 50 distinct tokens that the model does not know; their weight is 0.
    marks : tuple
        The spans of tokens in the first 10,000 characters of the text, with their weights.
    prior_name : str
        The name of the first weight: "prior", or "intercept" of a linear classifier.
    is_impossible : bool
        True where both classes are impossible, or both certain, so that the prediction depends on the priors alone.
    unknown_count : int
        The number of all distinct tokens that the model does not know.

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
    unknown_count: int = 0

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
        shown, rest = self._split(most)
        lines = [(self.prior_name, self.prior_db), *((_counted(reason), reason.weight_db) for reason in shown)]
        if rest:
            lines.append((f"… {len(rest):,} more tokens", _sum(rest)))
        if self.absent_db is not None:
            lines.append((_ABSENT, self.absent_db))
        return [*lines, ("total", self.total_db)]

    def to_dict(self, most: int | None = MOST_TOKENS) -> dict[str, Any]:
        """Convert the explanation to plain values.

        Parameters
        ----------
        most : int, optional
            The number of tokens listed: those with the largest absolute weights. The others are counted and summed, as
            "others". All when None.

        Returns
        -------
        explanation : dict
            With the keys label, against, prior_db, reasons, others, total_db, unknown and unknown_count; and absent_db
            for the Bernoulli model.
        """
        shown, rest = self._split(most)
        return {
            "label": plain(self.label),
            "against": plain(self.against),
            "prior_db": self.prior_db,
            "reasons": [asdict(reason) for reason in shown],
            "others": {"count": len(rest), "weight_db": _sum(rest)},
            **({} if self.absent_db is None else {"absent_db": self.absent_db}),
            "total_db": self.total_db,
            "unknown": list(self.unknown[:most]),
            "unknown_count": self.unknown_count,
        }

    def _split(self, most: int | None) -> tuple[tuple[TokenReason, ...], tuple[TokenReason, ...]]:
        """The strongest tokens, and the others."""
        shown = self.reasons[:most]
        return shown, self.reasons[len(shown) :]

    def to_text(self, most: int | None = 20, *, shaded: bool | None = None) -> str:
        """Write the document, the first 10,000 characters of a longer one, then a table of the weights.

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
        text = self.text[:MOST_LETTERS]
        body = shade_terminal(text, self.marks) if shaded else shown_text(text)
        return "\n".join([body, *([self._cut] if self._cut else []), *self._lines(most)])

    @property
    def _cut(self) -> str:
        """How much of the document is shown; nothing where it is all."""
        size = len(self.text)
        return "" if size <= MOST_LETTERS else f"… the first {MOST_LETTERS:,} of {size:,} characters"

    def _lines(self, most: int | None) -> Iterator[str]:
        if self.is_impossible:
            yield "Both classes are impossible, or both certain: the prediction depends on the priors alone."
        elif self.is_unknown:
            yield f"No token of the document is known: the prediction depends on the {self.prior_name} alone."
        label, against = distinct_texts([self.label, self.against])
        yield f"Weight for {label} against {against}, in decibans:"
        weights = [(shown_text(name), weight) for name, weight in self.weights(most)]
        width = max(len(name) for name, _ in weights)
        yield from (f"  {name:<{width}}  {weight:+z8.2f}" for name, weight in weights)
        if self.unknown:
            yield shown_text(f"Unknown: {', '.join(self.unknown[:most])}{self._more_unknown(most)}")

    def _more_unknown(self, most: int | None) -> str:
        hidden = self.unknown_count - len(self.unknown[:most])
        return f", and {hidden:,} more" if hidden > 0 else ""

    def __repr__(self) -> str:
        unknown = f", {self.unknown_count:,} unknown" if self.unknown else ""
        odds = f"{self.label!r} against {self.against!r}: {self.total_db:+z.2f} dB"
        return f"DocumentExplanation({odds}, {counted(len(self.reasons), 'known token')}{unknown})"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(shown_text(name))}</td><td style='text-align:right'>{weight:+z.2f}</td></tr>"
            for name, weight in self.weights(20)
        )
        title = f"decibans for <b>{escape(str(self.label))}</b> against <b>{escape(str(self.against))}</b>"
        head = f"<tr><th></th><th>{title}</th></tr>"
        note = "<p>No token of the document is known.</p>" if self.is_unknown else ""
        note += f"<p>{self._cut}</p>" if self._cut else ""
        return f"{shade_html(self.text[:MOST_LETTERS], self.marks)}{note}<table>{head}{rows}</table>"


def _counted(reason: TokenReason) -> str:
    return reason.token if reason.count == 1 else f"{reason.token} ×{reason.count:,}"


def _sum(reasons: tuple[TokenReason, ...]) -> float:
    return sum((reason.weight_db for reason in reasons), 0.0)


def shown_text(text: str) -> str:
    r"""The text with control characters and lone surrogates replaced, of the same length.

    >>> shown_text("a\x1b[31mred")
    'a␛[31mred'
    """
    return text.translate(_PICTURES)


def shade_html(text: str, marks: Sequence[Mark]) -> str:
    """The text as HTML; the tooltip of each mark shows its decibans."""
    largest = _largest(marks)
    pieces = [_span(shown_text(piece), mark, largest) for piece, mark in _pieces(text, marks)]
    return f'<div style="white-space:pre-wrap">{"".join(pieces)}</div>'


def shade_terminal(text: str, marks: Sequence[Mark]) -> str:
    """The text with escape sequences for colours, unless NO_COLOR is set."""
    from rich.console import Console  # noqa: PLC0415  slow to import, and rarely needed
    from rich.text import Text  # noqa: PLC0415

    largest = _largest(marks)
    shaded = Text()
    for piece, mark in _pieces(text, marks):
        shaded.append(shown_text(piece), style=_style(mark, largest))
    console = Console(file=StringIO(), force_terminal=True, color_system="256", highlight=False)
    with console.capture() as captured:
        console.print(shaded, soft_wrap=True, end="")
    return captured.get()


def _pieces(text: str, marks: Sequence[Mark]) -> Iterator[tuple[str, Mark | None]]:
    """The text in pieces, with or without a mark; where marks overlap, the first one counts."""
    at = 0
    for mark in _joined(marks):
        if mark.start > at:
            yield text[at : mark.start], None
        yield text[max(at, mark.start) : mark.end], mark
        at = mark.end
    if at < len(text):
        yield text[at:], None


def _joined(marks: Sequence[Mark]) -> list[Mark]:
    """The marks by position; one inside another, as the 2 of ½, is added to its weight."""
    joined: list[Mark] = []
    # Of marks with the same start the longest comes first, so that one inside another follows it.
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end)):
        if joined and mark.end <= joined[-1].end:
            last = joined.pop()
            weight, is_known = last.weight_db + mark.weight_db, last.is_known or mark.is_known
            # +∞ and −∞, a certain and an impossible token in one span, have no sum.
            joined.append(Mark(last.start, last.end, 0.0 if math.isnan(weight) else weight, is_known))
        else:
            joined.append(mark)
    return joined


def _span(piece: str, mark: Mark | None, largest: float) -> str:
    if mark is None:
        return escape(piece)
    if not mark.is_known:
        return f'<span style="{_UNKNOWN}" title="unknown">{escape(piece)}</span>'
    red, green, blue = _FOR if mark.weight_db >= 0 else _AGAINST
    style = f"background:rgba({red},{green},{blue},{_strength(mark, largest):.2f})"
    return f'<span style="{style}" title="{mark.weight_db:+z.2f} decibans">{escape(piece)}</span>'


def _style(mark: Mark | None, largest: float) -> str:
    """Rich's style of a mark: a background between black and the colour, and white letters."""
    if mark is None:
        return ""
    if not mark.is_known:
        return "dim underline"
    strength = _strength(mark, largest)
    # So faint a background is black to the eye, and would only force white letters on a light terminal.
    if strength < 0.05:
        return ""
    red, green, blue = (round(c * strength) for c in (_FOR if mark.weight_db >= 0 else _AGAINST))
    return f"white on rgb({red},{green},{blue})"


def _strength(mark: Mark, largest: float) -> float:
    if not math.isfinite(mark.weight_db):
        return _STRONGEST
    return _STRONGEST * abs(mark.weight_db) / largest if largest else 0.0


def _largest(marks: Sequence[Mark]) -> float:
    return max((abs(mark.weight_db) for mark in marks if math.isfinite(mark.weight_db)), default=0.0)
