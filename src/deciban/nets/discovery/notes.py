"""Notes on what the tests of a discovery cannot say: constant columns, functions of others, tests without a verdict.

A column that is a function of others is independent of every other variable given these, whatever the graph: stability
("Bayes Nets", footnote 1) does not hold. Tests that condition on them are left out, and the columns are named here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from math import comb

import numpy as np

from deciban import _core
from deciban.choices import counted
from deciban.nets.data.centred import spreads
from deciban.nets.data.samples import CodedSample, MixedSample, NetSample, note_on_missing, notes_on_relations, unsigned
from deciban.nets.discovery.skeleton import CoreEngine, Member, PlainEngine
from deciban.nets.graphs.graph import Node
from deciban.nets.independence.fisher_z import is_constant
from deciban.nets.independence.independence_test import SourceFacts, TestResult, listed

__all__ = ["notes_on", "notes_on_rows", "notes_on_tests"]

# Every pair of up to 512 columns is compared, which makes 262,000 questions.
_MOST_COLUMNS = 512

# Of a column with many neighbours larger sets are not tried one by one; the neighbours together are thinned instead.
_MOST_SETS = 5_000

_SIZES = (1, 2, 3)  # as in the core, which looks at no larger sets of categories either
_SHOWN = 5

Determined = Callable[[Sequence[Member]], list[bool]]
"""Whether each set determines its column, by index."""


def notes_on(facts: SourceFacts, neighbours: Callable[[Node], Iterable[Node]]) -> tuple[str, ...]:
    """Notes on constant columns, and on columns that others determine."""
    sample = facts.sample
    if sample is None:
        return ()
    names = sample.names
    notes = [*sample.notes, *(f"{names[c]} is constant" for c in _constant(sample))]
    determinations = _determinations(sample, _determined_by(facts, sample), neighbours)
    known = set(determinations)
    for column, given in determinations:
        if len(given) > 1:
            notes.append(f"{listed(tuple(names[z] for z in given))} determine {names[column]}")
        elif (given[0], (column,)) not in known:
            notes.append(f"{names[given[0]]} determines {names[column]}")
        elif given[0] < column:
            notes.append(f"{names[given[0]]} and {names[column]} determine each other")
    notes += notes_on_relations(sample)
    if determinations:
        notes.append(
            "tests given what determines a variable say nothing of this variable: they have no verdict and remove no "
            "edge"
        )
    return tuple(notes)


def notes_on_rows(sample: NetSample | None, removed: Callable[[], Sequence[TestResult]]) -> tuple[str, ...]:
    """A note on missing values, with the fewest rows of a test that separated a pair."""
    if sample is None or not (note := note_on_missing(sample)):
        return ()
    tested = [test for test in removed() if not test.determined]
    if not tested:
        return (note,)
    # By names among equals: the order of the results is that of the columns.
    least = min(tested, key=lambda test: (test.rows, str(test.x), str(test.y)))
    given = f" given {', '.join(map(str, least.given))}" if least.given else ""
    return (
        f"{note}; fewest rows of a test that separates a pair: {least.rows:,.12g} of {sample.total:,.12g} "
        f"({least.x} and {least.y}{given})",
    )


def notes_on_tests(without_verdict: Sequence[TestResult], too_large: int | None) -> tuple[str, ...]:
    """Notes on pairs that were separated by a test without a verdict, and on sets with too few rows."""
    notes = []
    implied = [test for test in without_verdict if test.determined]
    untested = [test for test in without_verdict if not test.determined]
    if implied:
        notes.append(
            f"{counted(len(implied), 'pair')} without an edge, because what determines one of the two is adjacent to "
            f"the other: {_pairs(implied)}"
        )
    if untested:
        notes.append(
            f"{counted(len(untested), 'pair')} separated without a verdict, because such a test counts as independent: "
            f"{_pairs(untested)}. Use more rows, or columns with fewer values (bins, groups)"
        )
    if too_large is not None:
        notes.append(
            f"some sets of {counted(too_large, 'variable')} or more were not tested, as the rows are too few for their "
            "tables; max_given sets another limit"
        )
    return tuple(notes)


def _pairs(results: Sequence[TestResult]) -> str:
    shown = [f"{test.x} and {test.y} ({_reason(test)})" for test in results[:_SHOWN]]
    return ", ".join(shown) + (f", and {len(results) - _SHOWN:,} more" if len(results) > _SHOWN else "")


def _reason(test: TestResult) -> str:
    if test.determined:
        return f"{listed(test.determined)}, determined by {listed(test.given)}"
    if test.df > 0:
        return f"df = {test.df:,.12g}, {test.rows:,.12g} rows"
    if not test.given:
        return "no degrees of freedom"
    return f"given {listed(test.given)}, one of the two is constant in each group of rows"


def _constant(sample: NetSample) -> list[int]:
    if isinstance(sample, CodedSample):
        return np.flatnonzero(sample.sizes == 1).tolist()
    if isinstance(sample, MixedSample):
        parts = (sample.categories, sample.numbers)
        constant = {part.names[index] for part in parts for index in _constant(part)}
        return [index for index, name in enumerate(sample.names) if name in constant]
    if not sample.is_complete:
        return []
    return np.flatnonzero(is_constant(spreads(sample.values, sample.sample_weight))).tolist()


def _determined_by(facts: SourceFacts, sample: NetSample) -> Determined:
    """As the test finds functions; where it does not look for them, categories are looked at all the same."""
    source = facts.core if facts.finds_determined else None
    if source is None and isinstance(sample, CodedSample):
        weights = sample.sample_weight
        source = _core.coded_source(unsigned(sample.codes), sample.sizes, weights, False, False, False, True)
    return (PlainEngine(facts, sample.names) if source is None else CoreEngine(source, facts.rules)).determined


def _determinations(
    sample: NetSample, determined: Determined, neighbours: Callable[[Node], Iterable[Node]]
) -> list[tuple[int, tuple[int, ...]]]:
    """Columns with the smallest sets that determine them, by the size of the set.

    A column keeps its edges to what determines it, as no test removes them: so its neighbours are looked at. Among
    categories every column is also compared with every other one.
    """
    names = sample.names
    index = {name: number for number, name in enumerate(names)}
    around = [sorted(index[other] for other in neighbours(name)) for name in names]
    # Most columns are not determined by all of their neighbours together: one question each.
    asked = [(column, near) for column, near in enumerate(around) if near]
    hits = [query for query, is_hit in zip(asked, determined(asked), strict=True) if is_hit]
    by_column: dict[int, list[tuple[int, ...]]] = {column: [] for column in range(len(names))}
    states = _states(sample)
    if len(states) <= _MOST_COLUMNS:
        # A category needs at least as many states as another one that it may determine.
        pairs = [(b, (a,)) for a in states for b in states if a != b and states[a] >= states[b] > 1]
        for (column, given), is_hit in zip(pairs, determined(pairs), strict=True):
            if is_hit:
                by_column[column].append(given)
    for column, near in hits:
        for size in _SIZES:
            if comb(len(near), size) > _MOST_SETS:
                break
            known = [set(given) for given in by_column[column]]
            sets = [given for given in combinations(near, size) if not any(one <= set(given) for one in known)]
            answers = determined([(column, given) for given in sets])
            by_column[column] += [given for given, is_hit in zip(sets, answers, strict=True) if is_hit]
        if not by_column[column]:
            by_column[column].append(_thinned(column, near, determined))
    every = [(column, given) for column, sets in by_column.items() for given in sets]
    return sorted(every, key=lambda one: (len(one[1]), one[1], one[0]))


def _states(sample: NetSample) -> dict[int, int]:
    """Of each category, by its index in the sample, how many states it has."""
    if isinstance(sample, CodedSample):
        return dict(enumerate(sample.sizes.tolist()))
    if isinstance(sample, MixedSample):
        sizes = sample.categories.sizes.tolist()
        return {index: sizes[slot] for index, slot in enumerate(sample.slots.tolist()) if slot >= 0}
    return {}


def _thinned(column: int, near: Sequence[int], determined: Determined) -> tuple[int, ...]:
    """A set that determines a column, without those members that are not needed."""
    given = list(near)
    for z in near:
        rest = [other for other in given if other != z]
        if rest and determined([(column, rest)])[0]:
            given = rest
    return tuple(given)
