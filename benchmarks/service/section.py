"""The section `service`: single rows of Adult over HTTP, under load from wrk."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

import deciban as db
from benchmarks.harness.machine import describe_run, missing_peer, read_usage
from benchmarks.harness.options import Options
from benchmarks.harness.parity import check_posteriors
from benchmarks.harness.paths import TABLES
from benchmarks.harness.results import Findings, Rate, Ratio
from benchmarks.harness.timing import OURS, PEER
from benchmarks.service.load import Load, ask, measure_load, running, write_script
from benchmarks.service.peer import fit_pipeline
from benchmarks.tables.adult import read_adult

__all__ = ["run"]

_PEER = "FastAPI with a scikit-learn pipeline"
_ROWS, _CONNECTIONS, _SAME = 200, (1, 16), 1e-9
_BATCH, _BATCHES = 100, 50
_INTRO = """Measured with `python -m benchmarks --only service` on {machine}.{others}

Both services are one process of uvicorn and predict single rows of Adult, 14 columns as JSON. The peer is FastAPI with
a pydantic model of the row and a pipeline of `OneHotEncoder`, `StandardScaler` and `LogisticRegression` on a pandas
frame of one row (`benchmarks/service/peer.py`). `wrk` sends {rows} different rows in turn from the same machine,
alternately to both for a few seconds at a time; figures are medians. Before that, the probabilities of both services
agree with `predict_proba` of their models to 1e-9. Times are milliseconds a request, the inverse of requests a second,
or the 99th percentile of the latency.

The last rows are `POST /learn`: batches of {batch} rows, each acknowledged when it is on the disk. A batch that is sent
again without a key is learned again, so the model grows while it is measured.
"""


def run(options: Options) -> str:
    """Check parity, then alternate; only a note where something is absent."""
    found = Findings()
    notes = _missing()
    if notes:
        found.notes += notes
        return found.render(_INTRO.format(**describe_run(None), rows=_ROWS, batch=_BATCH))
    start = read_usage()
    found.collect(_race(options), options.console)
    return found.render(_INTRO.format(**describe_run(start, "fastapi", "uvicorn"), rows=_ROWS, batch=_BATCH))


def _missing() -> list[str]:
    if not TABLES.is_dir():
        return ["Not measured: `../shared/data/tables` is absent."]
    if shutil.which("wrk") is None:
        return ["Not measured: `wrk` is not installed."]
    return [note for name in ("fastapi", "uvicorn", "orjson", "prometheus_client") for note in missing_peer(name)]


def _race(options: Options) -> Iterator[Ratio | Rate]:
    X, y = read_adult()
    model = db.NaiveBayes().fit(X, y)
    rows: list[dict[str, Any]] = X.head(_ROWS).to_dict("records")  # type: ignore[assignment]
    with TemporaryDirectory() as folder, ExitStack() as services:
        db.save(model, f"{folder}/adult.deciban")
        command = ["-c", "from deciban.cli import app; app()", "serve", f"{folder}/adult.deciban", "--port", "0"]
        ports = {
            PEER: services.enter_context(running(["-m", "benchmarks.service.peer", "0"])),
            OURS: services.enter_context(running(command)),
        }
        _check(ports[OURS], rows, model, "deciban's service")
        _check(ports[PEER], rows, fit_pipeline(), _PEER)
        script = write_script(Path(folder) / "rows.lua", rows)
        rounds, seconds = (1, 1) if options.is_quick else (5, 3)
        for connections in _CONNECTIONS:
            yield from _ratios(ports, script, connections, rounds, seconds)
        yield from _learning(ports[OURS], write_script(Path(folder) / "batches.lua", _batches(X, y)), seconds)


def _batches(X: pd.DataFrame, y: Any) -> list[dict[str, Any]]:
    """Batches of rows with their labels."""
    rows, labels = X.to_dict("records"), list(y)
    starts = range(0, _BATCH * _BATCHES, _BATCH)
    return [{"rows": rows[at : at + _BATCH], "labels": labels[at : at + _BATCH]} for at in starts]


def _learning(port: int, script: Path, seconds: int) -> Iterator[Rate]:
    for connections in _CONNECTIONS:
        found = measure_load(port, script, seconds, connections, "learn")
        title = f"durable learning over {connections} connection{'s' if connections > 1 else ''}"
        yield Rate(title, found.per_second * _BATCH, 1_000, "rows a second")


def _check(port: int, rows: Sequence[Mapping[str, Any]], model: Any, name: str) -> None:
    answers = [ask(port, row)["probabilities"] for row in rows]
    found = np.array([[answer[label] for label in model.classes_] for answer in answers])
    check_posteriors(name, model.predict_proba(pd.DataFrame(rows)), found, _SAME)


def _ratios(ports: Mapping[str, int], script: Path, connections: int, rounds: int, seconds: int) -> Iterator[Ratio]:
    loads: dict[str, list[Load]] = {name: [] for name in ports}
    order = list(ports)
    for port in ports.values():
        measure_load(port, script, 1, connections)
    for _ in range(rounds):
        for name in order:
            loads[name].append(measure_load(ports[name], script, seconds, connections))
        order.reverse()
    rates = {name: statistics.median(load.per_second for load in held) for name, held in loads.items()}
    tails = {name: statistics.median(load.p99 for load in held) for name, held in loads.items()}
    over = f"single rows over {connections} connection{'s' if connections > 1 else ''}"
    yield Ratio(f"{over}, requests a second", _PEER, 1 / rates[PEER], 1 / rates[OURS], 5)
    yield Ratio(f"{over}, p99", _PEER, tails[PEER], tails[OURS], 1)
