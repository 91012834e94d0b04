"""Spark frames against the naive Bayes pipeline of Spark's MLlib: StringIndexer, VectorAssembler, NaiveBayes.

MLlib has no model for numbers and labels together: labels become numbers, and its Gaussian model takes them all. So it
counts no labels, only moments, and these are compared first.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

import deciban as db
from benchmarks.engines.samples import LABELS, NUMBERS, TARGET, WHOLE, file_of
from benchmarks.harness.parity import ParityError
from benchmarks.harness.results import Ratio, race
from benchmarks.harness.timing import clock
from deciban.tallies import Tally

__all__ = ["ROWS", "time_spark"]

ROWS = 3_500_000
_PEER = "Spark MLlib"
_ROUNDS = 3
_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.log.level": "ERROR",
}


def time_spark(scale: float) -> Iterator[Ratio | str]:
    """From a Parquet file to a fitted model, in a session of two cores; a note where pyspark is not installed."""
    if find_spec("pyspark") is None:
        yield "Not measured: Spark. `pip install 'deciban[spark]'` installs it; it needs Java."
        return
    path = file_of(int(ROWS * scale), ".parquet")
    with _session() as session:
        frame = session.read.parquet(str(path))
        filtered = frame.where("num0 IS NOT NULL")  # all rows, through Spark's own readers
        for rows in (frame, filtered):
            _check(db.tally(rows, target=TARGET), _pipeline(frame))
        title = f"Spark, two cores, {path.stat().st_size / 1e6:,.0f} MB of Parquet:"
        theirs = clock(lambda: _pipeline(frame))
        for what, rows, call, bound in (
            ("`db.tally`", frame, lambda rows: db.tally(rows, target=TARGET), 5),
            ("`NaiveBayes().fit_files`", frame, lambda rows: db.NaiveBayes().fit_files(rows, target=TARGET), 5),
            ("`db.tally` of a filtered frame", filtered, lambda rows: db.tally(rows, target=TARGET), 1),
        ):
            ours = clock(lambda call=call, rows=rows: call(rows))  # type: ignore[misc]
            yield race(f"{title} {what}", _PEER, theirs, ours, bound, _ROUNDS)


@contextmanager
def _session() -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = import_module("pyspark.sql").SparkSession.builder.master("local[2]")
    for name, value in _SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def _pipeline(frame: Any) -> Any:
    """The fitted stages of MLlib."""
    feature, classification = (import_module(f"pyspark.ml.{name}") for name in ("feature", "classification"))
    codes = [f"{name}_code" for name in LABELS]
    stages = [
        feature.StringIndexer(inputCols=[*LABELS, TARGET], outputCols=[*codes, "label"]),
        feature.VectorAssembler(inputCols=[*NUMBERS, *WHOLE, *codes], outputCol="features"),
        classification.NaiveBayes(modelType="gaussian"),
    ]
    return import_module("pyspark.ml").Pipeline(stages=stages).fit(frame)


def _check(found: Tally, fitted: Any) -> None:
    """Raise a ParityError unless both have the same classes, priors and moments of numbers."""
    indexer, _, model = fitted.stages
    order = [list(indexer.labelsArray[-1]).index(label) for label in found.classes.labels]
    priors = np.exp(model.pi.toArray())[order]
    parts = [found.marginal(name).parts[0] for name in NUMBERS]
    means = np.column_stack([part.mean[:, 0] for part in parts])
    variances = np.column_stack([part.deviation[:, 0] for part in parts]) / found.class_counts[:, None]
    pairs = {
        "priors": (found.class_counts / found.total, priors, 1e-6),
        "means": (means, model.theta.toArray()[order, : len(NUMBERS)], 1e-9),
        # MLlib adds 1e-9 of the largest variance to each, as scikit-learn does: here that of the 300 codes of a label.
        "variances": (variances, model.sigma.toArray()[order, : len(NUMBERS)], 1e-4),
    }
    for what, (ours, theirs, rtol) in pairs.items():
        if not np.allclose(ours, theirs, rtol=rtol):
            apart = float(np.abs(ours / theirs - 1).max())
            raise ParityError(f"{what} differ from those of Spark MLlib by {apart:.2g}.")
