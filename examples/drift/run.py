"""A stream that drifts: three models that never forget, keep a window of rows, or let old rows fade.

    python examples/drift/run.py
    python examples/drift/run.py my_stream.csv --target label --window 500 --half-life 250

Each row is predicted before it is learned (prequential evaluation), so no model ever sees the answer in advance. The
rows of a CSV of your own must be in the order in which they came.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from matplotlib.figure import Figure
from pyarrow import csv

import deciban as db
from deciban.errors import DecibanError

DATA = Path(__file__).with_name("stream.csv")
CHANGES = {"new thermometer": (1000, 1000), "tool a wears out": (2000, 2400)}  # of stream.csv: first and last row
BATCH = 50  # rows that are predicted with the same model, and learned together
MEAN_OF = 200  # rows of a point of the picture


class Settings(NamedTuple):
    """The target, the rows of the window, and after how many rows a row counts half."""

    target: str
    window: int
    half_life: float


# Three ways to learn -------------------------------------------------------------------------------------------------


class Learner:
    """A naive Bayes model without any forgetting."""

    name = "never forgets"

    def __init__(self, first: pa.Table, settings: Settings) -> None:
        self.settings = settings
        numbers = (name for name in first.column_names if pa.types.is_floating(first.schema.field(name).type))
        self.model = db.NaiveBayes({name: db.Gaussian() for name in numbers}, weights=None)
        self.model.fit(first, settings.target)

    def learn(self, stream: pa.Table, start: int) -> None:
        """Learn a batch of rows, from `start` on."""
        self.model.partial_fit(stream.slice(start, BATCH), self.settings.target)


class Windowed(Learner):
    """The model of the last rows: those that leave the window are forgotten, exactly."""

    name = "window"

    def learn(self, stream: pa.Table, start: int) -> None:
        super().learn(stream, start)
        old = start - self.settings.window
        if old >= 0:
            self.model.forget(stream.slice(old, BATCH), self.settings.target)


class Fading(Learner):
    """All counts are scaled down before a batch is learned: a row counts half after `half_life` rows."""

    name = "half-life"

    def learn(self, stream: pa.Table, start: int) -> None:
        self.model.decay(self.settings.half_life, steps=BATCH)
        super().learn(stream, start)


LEARNERS: tuple[type[Learner], ...] = (Learner, Windowed, Fading)


def prequential(learner: Learner, stream: pa.Table) -> npt.NDArray[np.bool_]:
    """Return whether each row was predicted correctly before it was learned; the first batch is not predicted."""
    truth = np.array(stream[learner.settings.target].to_pylist())
    correct = []
    for start in range(BATCH, len(stream), BATCH):
        predicted = learner.model.predict(stream.slice(start, BATCH))
        correct.append(predicted == truth[start : start + BATCH])
        learner.learn(stream, start)
    return np.concatenate(correct)


# The account ---------------------------------------------------------------------------------------------------------


def account(path: Path, settings: Settings, picture: Path) -> Iterator[str]:
    """Yield the lines of the account, and draw the picture."""
    stream = csv.read_csv(path)
    if settings.target not in stream.column_names or len(stream) < settings.window + 2 * BATCH:
        raise SystemExit(f"drift: {path} needs a column {settings.target!r}, and more rows than the window.")
    learners = [make(stream.slice(0, BATCH), settings) for make in LEARNERS]
    correct = {learner.name: prequential(learner, stream) for learner in learners}
    changes = CHANGES if path == DATA else {}
    ends = [BATCH, *(row for change in changes.values() for row in dict.fromkeys(change)), len(stream)]
    yield f"{'accuracy before learning':27}{''.join(f'{name:>15}' for name in correct)}"
    for first, last in [*pairwise(ends), (BATCH, len(stream))]:
        shares = (each[first - BATCH : last - BATCH].mean() for each in correct.values())
        yield f"  rows {first:5} to {last - 1:5}{'':6}{''.join(f'{share:15.3f}' for share in shares)}"
    yield ""
    yield from exactness(learners, stream)
    draw(correct, changes, picture)
    yield f"\npicture: {picture}"


def exactness(learners: Sequence[Learner], stream: pa.Table) -> Iterator[str]:
    """Yield the weight of the rows that each model holds, and whether the window is the model of its rows alone."""
    for learner in learners:
        yield f"{learner.name:14} holds the weight of {learner.model.tally_.total:7.1f} rows at the end"
    window = learners[1]
    last = stream.slice(len(stream) - int(window.model.tally_.total))
    alone = db.NaiveBayes(window.model.schema_, weights=None).fit(last, window.settings.target)
    is_same = alone.tally_ == window.model.tally_
    yield f"the model of the window equals one that was fitted on its rows alone: {is_same}"


# The picture ---------------------------------------------------------------------------------------------------------


def draw(correct: dict[str, npt.NDArray[np.bool_]], changes: dict[str, tuple[int, int]], path: Path) -> None:
    """Draw the accuracy of each model over the last 200 rows, and mark the changes."""
    with mpl.rc_context({"svg.hashsalt": "deciban", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(8.4, 3.2), layout="constrained")
        axes = figure.subplots()
        for (name, each), colour, style in zip(correct.items(), ("#c44e52", "#2b7bba", "#00875f"), "-:-", strict=True):
            so_far = np.concatenate([[0], np.cumsum(each)])  # whole numbers: the same on every processor
            recent = (so_far[MEAN_OF:] - so_far[:-MEAN_OF]) / MEAN_OF
            rows = np.arange(len(recent)) + BATCH + MEAN_OF
            axes.plot(rows[::10], recent[::10], color=colour, linestyle=style, label=name)
        for name, (first, last) in changes.items():
            axes.axvspan(first, max(last, first + 8), color="#d98c00", alpha=0.25, linewidth=0)
            axes.annotate(name, (first, 0.02), (3, 0), xycoords=("data", "axes fraction"), textcoords="offset points")
        axes.set(xlabel="row", ylabel=f"accuracy on the last {MEAN_OF} rows")
        axes.legend(frameon=False, loc="lower left")
        figure.savefig(path, metadata={"Date": None})


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the account."""
    parser = argparse.ArgumentParser(description="Learn from a stream that drifts, with and without forgetting.")
    parser.add_argument("stream", nargs="?", type=Path, default=DATA, help="a CSV with its rows in order")
    parser.add_argument("--target", default="check", help="the column that is predicted")
    parser.add_argument("--window", type=int, default=300, help="how many rows the window holds")
    parser.add_argument("--half-life", type=float, default=150, help="after how many rows a row counts half")
    parser.add_argument("--picture", type=Path, default=Path("drift.svg"), help="where to draw")
    given = parser.parse_args(arguments)
    window = max(given.window // BATCH, 1) * BATCH
    try:
        print(*account(given.stream, Settings(given.target, window, given.half_life), given.picture), sep="\n")
    except (DecibanError, OSError, pa.ArrowInvalid) as error:
        raise SystemExit(f"drift: {error}") from None


if __name__ == "__main__":
    main()
