"""Speed of `NaiveBayes` on real tables: Adult from a frame, KDD Cup 99, and single rows.

Parity comes first. On Adult, both libraries get the same distributions (Laplace's rule for labels, Gaussian with
variances as counted), and posteriors agree to 1e-6. river adds 1e-9 to every density, so its posteriors agree in rows
where no density is that small.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.console import Console
from scipy.special import softmax
from scipy.stats import norm
from sklearn.compose import ColumnTransformer
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.preprocessing import LabelEncoder, OrdinalEncoder

import deciban as db
from benchmarks.accuracy import TABLES
from benchmarks.connections import time_connections, weigh_connections
from benchmarks.machine import describe_machine, others_since, read_usage
from benchmarks.peers import split_columns
from benchmarks.promises import Limit, Ratio, check, clock, measure, race
from benchmarks.report import markdown_table
from benchmarks.timing import Clock

__all__ = ["Findings", "measure_tables", "render_tables"]

_SAME = 1e-6
_RIVER_ROWS, _ONE_ROWS = 5_000, 300
_DENSE_ENOUGH = 1e-4  # river's 1e-9 is then lost in the sixth digit of a posterior

_INTRO = """## Speed and memory of `NaiveBayes` on real tables

Measured with `python -m benchmarks --only tables` on {machine}.{others}

Adult is a pandas frame as `read_csv` gives it, 6 columns of numbers and 8 of labels; each run encodes, fits and gives
the posteriors of all rows. Before timing, posteriors agree to 1e-6 where all have the same distributions: Laplace's
rule, and variances as counted (`Gaussian(strength=0)`, `var_smoothing=0`). river adds 1e-9 to every density, so it is
compared in rows where all densities are above 1e-4. Times are medians of alternating runs after a warm-up; a ratio is
the peer's time over deciban's.
"""
_LIMITS = """KDD Cup 99 is a pyarrow table, in the chunks in which `read_csv` gives it. Memory is the rise of the peak
resident size over one call in a fresh process, the highest of three.
"""
_RATIO_HEAD = ("work", "peer", "peer ms", "deciban ms", "ratio", "at least", "holds?")
_LIMIT_HEAD = ("work", "deciban", "at most", "holds?")


class Findings(NamedTuple):
    """All that was measured; `notes` say what was not, and why."""

    ratios: list[Ratio]
    limits: list[Limit]
    notes: list[str]
    others: float | None


def measure_tables(console: Console, scale: float = 1.0) -> Findings:
    """Check parity, then time and weigh; nothing but a note where the tables are absent."""
    if not TABLES.is_dir():
        return Findings([], [], ["Not measured: `../shared/data/tables` is absent."], None)
    start = read_usage()
    X, y = _read_adult(scale)
    ratios, notes = _time_adult(X, y)
    one_ratios, limits, one_notes = _time_one(X, y)
    limits += time_connections(scale)
    others = others_since(start)
    limits += [weigh_connections(verb, scale) for verb in ("fit", "predict")]
    found = Findings(ratios + one_ratios, limits, notes + one_notes, others)
    rows: list[Ratio | Limit] = [*found.ratios, *found.limits]
    for row in rows:
        console.print(f"[bold]{row.title}[/]: {', '.join(row.figures())}")
    for note in found.notes:
        console.print(note)
    return found


def render_tables(found: Findings) -> str:
    """The section, in Markdown."""
    others = "" if found.others is None else f" Other processes took {100 * found.others:.0f} % of it meanwhile."
    parts = [_INTRO.format(machine=describe_machine(), others=others)]
    if found.ratios:
        parts += [markdown_table(_RATIO_HEAD, found.ratios), _LIMITS, markdown_table(_LIMIT_HEAD, found.limits)]
    return "\n".join([*parts, *(f"{note}\n" for note in found.notes)])


# Adult, as a frame ---------------------------------------------------------------------------------------------------


def _read_adult(scale: float) -> tuple[pd.DataFrame, pd.Series[str]]:
    frame = pd.read_csv(TABLES / "adult.csv.gz")
    frame = frame.head(int(len(frame) * scale))
    return frame.drop(columns=["split", "income"]), frame["income"]


def _time_adult(X: pd.DataFrame, y: pd.Series[str]) -> tuple[list[Ratio], list[str]]:
    labels, numbers = split_columns(X)
    ours = _ours(labels, numbers)
    expected = ours().fit(X, y).predict_proba(X)
    work = "Adult, 48,842 × 14 mixed: fit and predict_proba"
    pair = "scikit-learn's OrdinalEncoder, CategoricalNB and GaussianNB"
    ratios, notes = [], []
    check(pair, expected, _Pair(labels, numbers).fit(X, y).predict_proba(X), _SAME)
    ratios.append(race(work, pair, _job(lambda: _Pair(labels, numbers), X, y), _job(ours, X, y), 10))
    by_default = f"{work}, distributions picked by `NaiveBayes()`"
    ratios.append(race(by_default, pair, _job(lambda: _Pair(labels, numbers), X, y), _job(db.NaiveBayes, X, y), 10))
    if find_spec("mixed_naive_bayes") is None:
        notes.append("mixed-naive-bayes is not installed, and not compared.")
        return ratios, notes
    theirs = _Mixed(labels, numbers).fit(X, y).predict_proba(X)
    lost = np.isnan(theirs).any(axis=1)  # products of densities, not sums of logs
    check("mixed-naive-bayes", expected[~lost], theirs[~lost], _SAME)
    ratios.append(race(work, "mixed-naive-bayes", _job(lambda: _Mixed(labels, numbers), X, y), _job(ours, X, y), 20))
    if lost.any():
        notes.append(f"mixed-naive-bayes underflows to NaN in {int(lost.sum())} rows, which parity leaves out.")
    return ratios, notes


def _ours(labels: list[str], numbers: list[str]) -> Callable[[], db.NaiveBayes]:
    columns = {name: db.Categorical() for name in labels} | {name: db.Gaussian(strength=0) for name in numbers}
    return lambda: db.NaiveBayes(columns, smoothing=db.Laplace())


def _job(make: Callable[[], Any], X: pd.DataFrame, y: pd.Series[str]) -> Clock:
    return clock(lambda: make().fit(X, y).predict_proba(X))


class _Encoded:
    """Labels as codes, then the numbers as they are."""

    def __init__(self, labels: list[str], numbers: list[str]) -> None:
        self._labels = len(labels)
        self._encoder = ColumnTransformer([("labels", OrdinalEncoder(), labels), ("numbers", "passthrough", numbers)])


class _Pair(_Encoded):
    """log P(j, x) = log P(j, labels) + log P(j, numbers) − log P(j)."""

    def fit(self, X: pd.DataFrame, y: pd.Series[str]) -> Self:
        Z = self._encoder.fit_transform(X)
        self._categorical = CategoricalNB().fit(Z[:, : self._labels], y)
        self._gaussian = GaussianNB(var_smoothing=0.0).fit(Z[:, self._labels :], y)
        return self

    def predict_proba(self, X: pd.DataFrame) -> NDArray[np.float64]:
        Z = self._encoder.transform(X)
        joint = self._categorical.predict_joint_log_proba(Z[:, : self._labels])
        joint += self._gaussian.predict_joint_log_proba(Z[:, self._labels :])
        return np.asarray(softmax(joint - self._categorical.class_log_prior_, axis=1))


class _Mixed(_Encoded):
    """The package mixed-naive-bayes, which wants codes for everything."""

    def fit(self, X: pd.DataFrame, y: pd.Series[str]) -> Self:
        mixed = import_module("mixed_naive_bayes").MixedNB
        self._model = mixed(categorical_features=list(range(self._labels)), alpha=1, var_smoothing=0.0)
        self._model.fit(self._encoder.fit_transform(X), LabelEncoder().fit_transform(y))
        return self

    def predict_proba(self, X: pd.DataFrame) -> NDArray[np.float64]:
        with np.errstate(all="ignore"):
            return np.asarray(self._model.predict_proba(self._encoder.transform(X)))


# One row -------------------------------------------------------------------------------------------------------------


def _time_one(X: pd.DataFrame, y: pd.Series[str]) -> tuple[list[Ratio], list[Limit], list[str]]:
    rows: list[dict[Any, Any]] = X.head(_ONE_ROWS).to_dict("records")
    model = db.NaiveBayes(na_values=["?"]).fit(X, y)
    seconds = measure(clock(_each(model.predict_one, rows), len(rows)))
    limit = Limit("Adult, one row of 14 columns: predict_one", 1e6 * seconds, 30, "µs")
    limits = [limit, *_time_learning(X, y)]
    if find_spec("river") is None:
        return [], limits, ["river is not installed, and not compared."]
    return _race_river(X, y), limits, []


def _time_learning(X: pd.DataFrame, y: pd.Series[str]) -> list[Limit]:
    """Rows that are learned, and rows that are predicted first and then learned."""
    pairs = list(zip(X.head(_ONE_ROWS).to_dict("records"), y.head(_ONE_ROWS), strict=True))
    model = db.NaiveBayes(na_values=["?"]).fit(X, y)
    learn = measure(clock(_learn(model, pairs), len(pairs)))
    both = measure(clock(_test_then_train(model, pairs), len(pairs)))
    return [
        Limit("Adult, one row of 14 columns: learn_one", 1e6 * learn, 10, "µs"),
        Limit("Adult, one row of 14 columns: predict_one, then learn_one", 1e6 * both, 40, "µs"),
    ]


def _race_river(X: pd.DataFrame, y: pd.Series[str]) -> list[Ratio]:
    """river's GaussianNB takes numbers only, so labels become codes for both."""
    X, y = X.head(_RIVER_ROWS), y.head(_RIVER_ROWS)
    codes = pd.DataFrame(OrdinalEncoder().fit_transform(X), columns=X.columns)
    rows: list[dict[Any, Any]] = codes.to_dict("records")
    theirs = import_module("river.naive_bayes").GaussianNB()
    for row, label in zip(rows, y, strict=True):
        theirs.learn_one(row, label)
    ours = db.NaiveBayes(db.Gaussian(strength=0)).fit(codes, y)
    few = rows[:_ONE_ROWS]
    fair = [row for row, is_fair in zip(few, _is_dense(codes, y), strict=False) if is_fair]
    found = [[model.predict_proba_one(row)[j] for row in fair for j in ours.classes_] for model in (ours, theirs)]
    check("river's GaussianNB", np.array(found[0]), np.array(found[1]), _SAME)
    clocks = [clock(_each(model.predict_proba_one, few), len(few)) for model in (theirs, ours)]
    predicting = race("One row of 14 numbers: predict_proba_one", "river's GaussianNB", clocks[0], clocks[1], 10)
    pairs = list(zip(few, y, strict=False))
    clocks = [clock(_learn(model, pairs), len(few)) for model in (theirs, ours)]
    learning = race("One row of 14 numbers: learn_one", "river's GaussianNB", clocks[0], clocks[1], 3)
    return [predicting, learning]


def _is_dense(codes: pd.DataFrame, y: pd.Series[str]) -> NDArray[np.bool_]:
    """Of each row, whether all its densities are so large that river's addition does not matter."""
    fitted = GaussianNB(var_smoothing=0.0).fit(codes, y)
    densities = norm.pdf(codes.to_numpy()[:, None], fitted.theta_, np.sqrt(fitted.var_))
    return np.asarray(densities.min(axis=(1, 2)) > _DENSE_ENOUGH)


def _learn(model: Any, pairs: list[tuple[dict[Any, Any], Any]]) -> Callable[[], None]:
    def run() -> None:
        for row, label in pairs:
            model.learn_one(row, label)

    return run


def _test_then_train(model: Any, pairs: list[tuple[dict[Any, Any], Any]]) -> Callable[[], None]:
    def run() -> None:
        for row, label in pairs:
            model.predict_one(row)
            model.learn_one(row, label)

    return run


def _each(method: Callable[[dict[Any, Any]], object], rows: list[dict[Any, Any]]) -> Callable[[], None]:
    def run() -> None:
        for row in rows:
            method(row)

    return run
