"""Warnings about columns on which independence tests fail: constant columns, and functions of another column.

A column that is a function of another is independent of every other variable given that column, whatever the graph:
stability ("Bayes Nets", footnote 1) does not hold. Such columns are reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from deciban.choices import counted
from deciban.nets.data.samples import CodedSample
from deciban.nets.tests.results import TestResult, listed
from deciban.types import AnyArray

__all__ = ["notes_on", "notes_on_tests"]

_MOST_COLUMNS = 512
_SHOWN = 5
_BLOCK = 1 << 16
"""How many rows are compared at a time."""


def notes_on(test: Any) -> tuple[str, ...]:
    """Notes on constant columns and on functions of another column."""
    sample = getattr(test, "sample", None)
    if not isinstance(sample, CodedSample):
        return ()
    notes = [f"{sample.names[c]} is constant" for c in np.flatnonzero(sample.sizes == 1)]
    if len(sample.names) <= _MOST_COLUMNS:
        notes += _determined(sample)
    return tuple(notes)


def notes_on_tests(without_verdict: Sequence[TestResult], too_large: int | None) -> tuple[str, ...]:
    """Notes on pairs that were separated by a test without a verdict, and on sets with too few rows."""
    notes = []
    if without_verdict:
        shown = [f"{found.x} and {found.y} ({_reason(found)})" for found in without_verdict[:_SHOWN]]
        more = f", and {len(without_verdict) - _SHOWN:,} more" if len(without_verdict) > _SHOWN else ""
        pairs = counted(len(without_verdict), "pair")
        notes.append(
            f"{pairs} separated without a verdict, because such a test counts as independent: "
            f"{', '.join(shown)}{more}. Use more rows, or columns with fewer values (bins, groups)"
        )
    if too_large is not None:
        notes.append(
            f"some sets of {counted(too_large, 'variable')} or more were not tested, as the rows are too few for their "
            "tables; max_given sets another limit"
        )
    return tuple(notes)


def _reason(found: TestResult) -> str:
    if found.df > 0:
        return f"df = {found.df:,.12g}, {found.rows:,.12g} rows"
    return f"determined by {listed(found.given)}" if found.given else "no degrees of freedom"


def _determined(sample: CodedSample) -> list[str]:
    notes = []
    # Column a can determine b only if it has at least as many states; compare each row with the first of its state.
    firsts = [_first_rows(codes, int(size)) for codes, size in zip(sample.codes, sample.sizes, strict=True)]
    for a, codes in enumerate(sample.codes):
        if sample.sizes[a] == 1 or len(sample) <= sample.sizes[a] * 2:
            continue
        for b in np.flatnonzero((sample.sizes <= sample.sizes[a]) & (sample.sizes > 1)):
            if b == a or not _determines(codes, firsts[a], sample.codes[b]):
                continue
            if sample.sizes[a] == sample.sizes[b] and _determines(sample.codes[b], firsts[b], codes):
                if a < b:
                    notes.append(f"{sample.names[a]} and {sample.names[b]} determine each other")
            else:
                notes.append(f"{sample.names[a]} determines {sample.names[b]}")
    return notes


def _first_rows(codes: AnyArray, size: int) -> AnyArray:
    """The first row of each state; the blocks are gone through from the last to the first."""
    first = np.zeros(size + 1, dtype=np.int64)
    for begin in range((len(codes) - 1) // _BLOCK * _BLOCK, -1, -_BLOCK):
        block = codes[begin : begin + _BLOCK]
        first[block[::-1]] = np.arange(begin, begin + len(block))[::-1]
    return first


def _determines(codes: AnyArray, first: AnyArray, other: AnyArray) -> bool:
    bounds = [0, 256, *range(_BLOCK, len(codes) + _BLOCK, _BLOCK)]  # most columns differ in the first rows
    return all((other[first[codes[a:b]]] == other[a:b]).all() for a, b in pairwise(bounds))
