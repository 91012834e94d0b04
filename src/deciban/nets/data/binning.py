"""Numbers cut into bins, for those who want tables: ``discover(..., bins=)`` and ``search(..., bins=)``.

    a number, or "quantile"    bins of about as many rows each: so many, or four
    "mdl"                      the cuts that tell the states of one category apart, by minimum description length
                               (Fayyad and Irani, 1993): of the category about which they say most; where no cut says
                               enough of any, four bins of about as many rows

A number at a cut is in the bin below it. The cuts are those of all rows, so bootstrap samples have the same bins.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from deciban.choices import check_choice
from deciban.errors import ParameterError
from deciban.estimate.values import short_number
from deciban.nets.data.samples import CodedSample, MixedSample
from deciban.read import MISSING, Variable
from deciban.tallies.kernels import description_cuts
from deciban.ties import TIE, first_largest
from deciban.types import AnyArray, Floats, Ints

__all__ = ["BinRule", "binned", "check_bins"]

BinRule = Literal["quantile", "mdl"]

_SOME = 4
"""Bins where only the rule is named: so many keep a monotone relation, and tables of several parents have few cells."""

_FINE = 256
"""Bins of equal frequency whose ends may become cuts by description length."""


def check_bins(bins: int | str) -> None:
    """Refuse what is no number of bins and no rule."""
    if isinstance(bins, str):
        check_choice("bins", bins, get_args(BinRule), other=", or a number of bins")
    elif isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 2:
        raise ParameterError(f"bins is a number of bins, 2 or more, or one of 'quantile', 'mdl'; not {bins!r}.")


def binned(sample: MixedSample, bins: int | BinRule) -> CodedSample:
    """The sample with its numbers cut into bins, which become states such as "(1.5, 2]", in their order."""
    check_bins(bins)
    coded, numbers = sample.categories, sample.numbers
    weight = np.ones(len(sample)) if sample.sample_weight is None else sample.sample_weight
    states, codes, notes = dict(coded.states), list[AnyArray](), list[str]()
    for slot in sample.slots.tolist():
        if slot >= 0:
            codes.append(coded.codes[slot])
            continue
        name, values = numbers.names[-1 - slot], numbers.values[:, -1 - slot]
        if bins == "mdl":
            cuts = _separating(values, weight, coded)
        else:
            cuts = _quantiles(values, weight, _SOME if isinstance(bins, str) else int(bins))
        states[name] = Variable.of_states(name, _labels(cuts))
        codes.append(np.where(np.isnan(values), MISSING, np.searchsorted(cuts, values)))
        notes.append(f"{name} ({', '.join(map(short_number, cuts.tolist()))})")
    shown = f"cut into bins: {'; '.join(notes[:12])}{f' and {len(notes) - 12} more' if len(notes) > 12 else ''}"
    read = [note for note in sample.notes if note.startswith("counted as categories")]
    return CodedSample(
        sample.names,
        states,
        np.array(codes, dtype=np.int32).reshape(len(sample.names), len(sample)),
        sample.sample_weight,
        sample.columns,
        dropped=sample.dropped,
        ordered=tuple(name for name in sample.names if name in coded.ordered or sample.is_number(name)),
        notes=tuple([shown, *read] if notes else sample.notes),
        interventions=sample.interventions,
    )


def _quantiles(values: Floats, weight: Floats, bins: int) -> Floats:
    """Cuts between numbers, which leave about as many rows in each bin; fewer where numbers are repeated."""
    known = ~np.isnan(values)
    distinct, place = np.unique(values[known], return_inverse=True)
    below = np.cumsum(np.bincount(place, weight[known], len(distinct)))
    wanted = below[-1] * np.arange(1, bins) / bins
    # The last number has no cut above it.
    ends = np.unique(np.minimum(np.searchsorted(below, wanted * (1 - TIE)), len(distinct) - 1))
    ends = ends[ends < len(distinct) - 1]
    low, high = distinct[ends], distinct[ends + 1]
    # Halved before they are added, as the sum may overflow; between neighbouring floats there is no middle.
    middle = low / 2 + high / 2
    return np.asarray(np.where((middle >= low) & (middle < high), middle, low))


def _separating(values: Floats, weight: Floats, coded: CodedSample) -> Floats:
    """The cuts that say most about one of the categories."""
    fine = _quantiles(values, weight, _FINE)
    at = np.searchsorted(fine, values)
    found, gains = list[Ints](), list[float]()
    for codes, size in zip(coded.codes, coded.sizes.tolist(), strict=True):
        known = ~np.isnan(values) & (codes >= 0)
        cells = at[known] * size + codes[known]
        counts = np.bincount(cells, weight[known], (len(fine) + 1) * size).reshape(-1, size).astype(np.float64)
        used = np.flatnonzero(counts.sum(axis=1))
        ends = used[description_cuts(counts[used], TIE)]
        found.append(ends)
        gains.append(_information(np.add.reduceat(counts, [0, *(ends + 1)], axis=0)))
    if not found or not any(len(ends) for ends in found):
        return _quantiles(values, weight, _SOME)
    return fine[found[first_largest(np.array(gains))]]


def _information(counts: AnyArray) -> float:
    """The mutual information of bins and states, in nats, times the rows."""

    def sum_of(table: AnyArray) -> float:
        return float((table[table > 0] * np.log(table[table > 0])).sum())

    return sum_of(counts) - sum_of(counts.sum(axis=0)) - sum_of(counts.sum(axis=1)) + sum_of(counts.sum(keepdims=True))


def _labels(cuts: Floats) -> list[str]:
    """An interval for each bin; with all digits where fewer would make two cuts look alike."""
    shown = list(map(short_number, cuts.tolist()))
    if len(set(shown)) < len(shown):
        shown = list(map(repr, cuts.tolist()))
    if not shown:
        return ["all"]
    inner = [f"({low}, {high}]" for low, high in pairwise(shown)]
    return [f"≤ {shown[0]}", *inner, f"> {shown[-1]}"]
