"""The section `rivals`: AutoBayes beside boosting, forests and linear models, on tables that no choice was made on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np

from benchmarks.accuracy.ours import own_classifiers
from benchmarks.accuracy.scores import MEASURES
from benchmarks.harness.machine import describe_run, missing_peer, read_usage
from benchmarks.harness.options import Options
from benchmarks.harness.report import BestInBold, digits, markdown_table
from benchmarks.harness.results import Findings, Limit, Rate
from benchmarks.harness.store import Store
from benchmarks.rivals.collection import CHOOSING, PACKAGES, REPORTING
from benchmarks.rivals.comparison import Duel, Results, complete, leads, mean_ranks, share_of_wins
from benchmarks.rivals.files import read_half, wheel
from benchmarks.rivals.models import PACKAGES_OF_PEERS, PEERS, peers
from benchmarks.rivals.picture import PICTURE, draw_ranks
from benchmarks.rivals.trials import FOLDS, OF_FOLDS, Result, results_of
from deciban.errors import InputError

__all__ = ["PARTS", "run"]

PARTS = ("rivals-peers", "rivals-choosing")
_PEERS_ONLY, _CHOOSING = PARTS
_OURS = ("AutoBayes", "KDB", "NaiveBayes")
_AUTO, _LIGHTGBM = _OURS[0], PEERS[0]
_RIVALS = PEERS[:-1]
_QUICK_ROWS, _FAST_ROWS = 300, 20_000
_SIZES = {"under 500 rows": (0, 499), "500 to 2,500 rows": (500, 2_500), "over 2,500 rows": (2_501, np.inf)}

_INTRO = """{folds} of {of_folds} stratified, shuffled folds (seed 0), measured with
`python -m benchmarks --only rivals` on {machine}.{others}

The tables come out of packages on PyPI ({packages}). The rule was fixed before any model was run: a table has a
documented class, 100 or more rows, 3 to 1,000 attributes and 2 to 100 classes, and is not data of the other sections,
of scikit-learn or of another table here. Columns that name a row, or that are known only with the class, are left out,
as are classes of fewer than 10 rows; more than 50,000 rows are thinned to 50,000. The hash of its name puts a table in
one of two halves. Defaults were chosen on the one half and on tables of the other sections; nothing was chosen by
scores of the other half, the {count} tables below.

deciban's classifiers have their default parameters. So have the peers, but logistic regression may take 1,000
iterations, the forest has one column per label, EBM has 4 outer bags instead of 14, one over 5,000 rows, and CatBoost
300 iterations instead of 1,000. EBM is fitted to tables of at most 20,000 rows and 100 columns, CatBoost to those of at
most 10,000 rows, 100 columns and two classes. Seconds are of the processor, for fit and prediction of a fold, with one
thread.
"""
_MEANS = "Means over the {count} tables that all but CatBoost were fitted to, and mean ranks.\n"
_PLOT = """Mean ranks with the critical difference of the Nemenyi test at 0.05 (Demšar 2006, "Statistical comparisons of
classifiers over multiple data sets"): no difference is shown between classifiers that a bar joins.

![mean ranks of the classifiers](figures/benchmarks/{picture})
"""
_DUELS = """`AutoBayes` against each on the tables that both were fitted to: wins – losses, the p-value of the sign
test, and the mean difference, where more than 0 is better. Figures that are equal as printed are ties.
"""
_BY_SIZE = "By the number of rows: accuracy / log loss / seconds.\n"
_EACH = "Each table: `AutoBayes`, and the peer that is best on it.\n"
_BOUNDS = "What is aimed at:\n"


class _Row(NamedTuple):
    """A line of a table that is text already."""

    title: str
    cells: tuple[str, ...]

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        return self.cells


def run(options: Options) -> str | None:
    """Score all classifiers on the reporting half; the parts score the peers only, or print the choosing half."""
    start = read_usage()
    results, notes = _score(CHOOSING if _CHOOSING in options.parts else REPORTING, options)
    if options.parts:
        if _CHOOSING in options.parts:
            options.console.print("\n".join(_tables(results)), markup=False)
        return None
    packages = ", ".join(f"{name} {version}" for name, version in PACKAGES.items())
    machine = describe_run(start, *PACKAGES_OF_PEERS)
    intro = _INTRO.format(folds=FOLDS, of_folds=OF_FOLDS, packages=packages, count=len(results), **machine)
    notes += chain.from_iterable(map(missing_peer, PACKAGES_OF_PEERS))
    notes += [f"{name} could not be had, and its tables are not measured." for name in PACKAGES if not wheel(name)]
    if results and not options.is_quick:
        draw_ranks(complete(results))
    return "\n".join([intro, *(_tables(results) if results else ()), *(f"{note}\n" for note in notes)])


def _score(half: str, options: Options) -> tuple[Results, list[str]]:
    """The results of each table, and notes about those that a model refuses."""
    store = Store(options.results / "rivals", options.is_fresh)
    results: dict[str, dict[str, Result]] = {}
    notes = []
    for table in read_half(half):
        if options.is_quick and len(table.X) > _QUICK_ROWS:
            continue
        ours = () if _PEERS_ONLY in options.parts else own_classifiers(table, _OURS)
        try:
            results[table.name] = dict(results_of(table, (*ours, *peers(table)), store))
        except InputError as error:
            notes.append(f"{table.name} is not scored, because a model refuses it: {error}")
            options.console.print(notes[-1], markup=False)
            continue
        found = (f"{name} {one.accuracy:.4f} / {one.log_loss:.3f}" for name, one in results[table.name].items())
        options.console.print(f"[bold]{table.name}[/]: {', '.join(found)}")
    return results, notes


def _tables(results: Results) -> Iterator[str]:
    whole, names = complete(results), _names(results)
    yield _MEANS.format(count=len(whole))
    titles = [measure.title for measure in MEASURES]
    ranks = [f"mean rank by {title}" for title in titles]
    yield markdown_table(("classifier", *chain(*zip(titles, ranks, strict=True)), "seconds"), list(_means(whole)))
    yield _PLOT.format(picture=PICTURE)
    yield _DUELS
    duels = [Duel.between(results, _AUTO, name) for name in names if name != _AUTO]
    yield markdown_table(("against", "tables", *titles, "its seconds ÷ ours"), duels)
    yield _BY_SIZE
    yield markdown_table(("classifier", *(_size_titles(whole))), list(_by_size(whole)))
    yield _EACH
    head = ("table", "rows", "accuracy", "best peer", "log loss", "best peer")
    yield markdown_table(head, [_each(name, row) for name, row in results.items()])
    yield Findings(limits=list(_aims(results, whole))).render(_BOUNDS)


def _names(results: Results) -> list[str]:
    """All classifiers that were fitted to a table, deciban's first."""
    return [name for name in (*_OURS, *PEERS) if any(name in row for row in results.values())]


def _mean(results: Results, classifier: str) -> Result:
    return Result.mean([row[classifier] for row in results.values()])


def _means(whole: Results) -> Iterator[_Row]:
    ranks = [mean_ranks(whole, measure) for measure in MEASURES]
    for name in _names(whole):
        mean = _mean(whole, name)
        cells = [
            (measure.text(getattr(mean, measure.name)), f"{of[name]:.2f}")
            for measure, of in zip(MEASURES, ranks, strict=True)
        ]
        yield _Row(f"`{name}`" if name in _OURS else name, (*chain(*cells), digits(mean.seconds)))


def _of_size(whole: Results, size: str) -> Results:
    least, most = _SIZES[size]
    return {name: row for name, row in whole.items() if least <= row[_AUTO].rows <= most}


def _size_titles(whole: Results) -> list[str]:
    return [f"{size} ({len(_of_size(whole, size))} tables)" for size in _SIZES]


def _by_size(whole: Results) -> Iterator[_Row]:
    for name in _names(whole):
        cells = tuple(_of_all(_of_size(whole, size), name) for size in _SIZES)
        yield _Row(f"`{name}`" if name in _OURS else name, cells)


def _of_all(results: Results, classifier: str) -> str:
    if not results:
        return "—"
    mean = _mean(results, classifier)
    return f"{mean.accuracy:.4f} / {mean.log_loss:.3f} / {digits(mean.seconds)}"


def _each(table: str, row: Mapping[str, Result]) -> _Row:
    """A table: our figures, and those of the best peers; the better ones in bold."""
    cells: list[str] = []
    for measure in MEASURES[:2]:
        sign = 1 if measure.is_more_better else -1
        best = max((name for name in PEERS if name in row), key=lambda name: sign * getattr(row[name], measure.name))
        values = [getattr(row[_AUTO], measure.name), getattr(row[best], measure.name)]
        ours, theirs = BestInBold("", values, measure.digits, measure.is_more_better).figures()
        cells += [ours, f"{best} {theirs}"]
    return _Row(table, (f"{row[_AUTO].rows:,.0f}", *cells))


def _aims(results: Results, whole: Results) -> Iterator[Limit | Rate]:
    """Accuracy, log loss, calibration and time beside each rival."""
    accuracy, log_loss, calibration = MEASURES
    ours, means = _mean(whole, _AUTO), {name: _mean(whole, name) for name in _RIVALS if name in _names(whole)}
    for name, theirs in means.items():
        yield Rate(f"mean accuracy, and that of {name}", ours.accuracy, theirs.accuracy, "")
    for measure, least in ((accuracy, 0.6), (log_loss, 0.8)):
        for name in means:
            share = share_of_wins(leads(results, _AUTO, name, measure))
            yield Rate(f"share of tables ahead of {name} by {measure.title}, ties half", share, least, "")
    least_error = min(theirs.calibration_error for theirs in means.values())
    yield Limit(f"mean {calibration.title}, and the least of these", ours.calibration_error, least_error, "")
    if _LIGHTGBM in means:
        small = {name: row for name, row in results.items() if row[_AUTO].rows < _FAST_ROWS}
        ratio = _mean(small, _AUTO).seconds / _mean(small, _LIGHTGBM).seconds
        yield Limit(f"seconds as a multiple of LightGBM's, under {_FAST_ROWS:,} rows", ratio, 2, "")
