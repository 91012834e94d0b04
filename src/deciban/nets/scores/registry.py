"""The scores by name, and the rows as a score reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

from deciban.choices import check_choice
from deciban.errors import ParameterError
from deciban.nets.data.binning import BinRule, binned, check_bins
from deciban.nets.data.node_rows import ColumnRole
from deciban.nets.data.samples import NetSample, RowOptions, read_variables
from deciban.nets.scores.discrete import BIC, K2, BDeu
from deciban.nets.scores.gaussian import GaussianBIC
from deciban.nets.scores.mixed import ConditionalGaussianBIC, DegenerateGaussianBIC
from deciban.nets.scores.protocol import ADVICE, Score

__all__ = ["SCORES", "Missing", "ScoreName", "read_score", "read_scored"]


Missing = Literal["error", "drop", "skip", "em", "state"]


def read_scored(
    data: Any,
    score: ScoreName | Score,
    sample_weight: Any,
    missing: Missing,
    columns: Mapping[Any, ColumnRole] | None = None,
    bins: int | BinRule | None = None,
    interventions: Any = None,
) -> tuple[NetSample, Score, str]:
    """The rows as a score reads them, the score and its name.

    `columns` says how some columns are read; with `bins`, numbers are cut into these.
    """
    chosen = read_score(score)
    if interventions is not None and missing == "em":
        raise ParameterError(
            'missing="em" completes a row by all families, also those that an intervention cuts: pass missing="skip" '
            'or missing="drop" with interventions.'
        )
    options = RowOptions(
        sample_weight=sample_weight, missing=missing, choices=get_args(Missing), interventions=interventions
    )
    reads = None if chosen is None else chosen[0].reads
    sample: NetSample
    if bins is None:
        sample = read_variables(data, reads, ADVICE, columns=columns, **options)
    else:
        check_bins(bins)
        if reads not in (None, "categories"):
            raise ParameterError('bins are categories: pass score="bic" or "bdeu", or leave out bins.')
        sample = binned(read_variables(data, "mixed", ADVICE, columns=columns, **options), bins)
    if chosen is None:
        chosen = SCORES[AUTO[sample.reads]](), AUTO[sample.reads]
    return sample, *chosen


ScoreName = Literal["auto", "bic", "bdeu", "k2", "gaussian_bic", "cg_bic", "dg_bic"]


def _gaussian_bic() -> GaussianBIC:
    """BIC of numbers as ``search`` takes it by name, with twice the penalty.

    Of the factors 1, 1.5, 2 and 3 it was chosen on random linear models, where one parameter is all that an edge costs:
    at 1 most edges of a sparse graph of 100 columns are due to chance, beyond 2 little is gained, and edges are lost.
    """
    return GaussianBIC(penalty=2.0)


SCORES: dict[str, Callable[[], Score]] = {
    "bic": BIC,
    "bdeu": BDeu,
    "k2": K2,
    "gaussian_bic": _gaussian_bic,
    "cg_bic": ConditionalGaussianBIC,
    "dg_bic": DegenerateGaussianBIC,
}
"""The scores that ``search`` finds by name: name → a function that makes the score."""

AUTO = {"categories": "bic", "numbers": "gaussian_bic", "mixed": "cg_bic"}
"""The score that "auto" stands for, by what the columns hold."""


def read_score(score: object) -> tuple[Score, str] | None:
    """A score by its name, or as it is, and how a result calls it; None for "auto"."""
    if isinstance(score, str):
        check_choice("score", score, ("auto", *SCORES), other=", or a score such as BDeu(1)")
        return None if score == "auto" else (SCORES[score](), score)
    made = score() if isinstance(score, type) else score
    if not isinstance(made, Score):
        raise ParameterError(
            f"score is one of {', '.join(map(repr, ('auto', *SCORES)))}, or an object with the attribute reads and the "
            f"method on(data), such as BDeu(1); not {score!r}."
        )
    has_repr = type(made).__repr__ is not object.__repr__
    return made, repr(made) if has_repr else type(made).__name__
