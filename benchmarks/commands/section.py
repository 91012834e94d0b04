"""The section `commands`: how long commands take as a user waits for them, in fresh processes, and what they need."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from pyarrow import csv

from benchmarks.harness.machine import describe_machine, describe_others, others_since, read_usage
from benchmarks.harness.options import Options
from benchmarks.harness.paths import TABLES
from benchmarks.harness.results import Findings, Limit

__all__ = ["run"]

_INTRO = """Measured with `python -m benchmarks --only commands` on {machine}.{others}

Each command runs in a fresh process, after one run that is not timed; the figure is the median of {rounds} runs, and
the memory the highest resident size of all. Adult has 48,842 rows and 14 columns beside the target, KDD Cup 99
494,021 rows and 41 columns (75 MB as CSV).
"""
_ROUNDS = 7
_COMMAND = Path(sys.executable).with_name("deciban")


def run(options: Options) -> str:
    """Time the commands; only a note where the tables are absent."""
    found = Findings()
    start = read_usage()
    found.collect(_of_the_program(), options.console)
    if TABLES.is_dir():
        with TemporaryDirectory(prefix="deciban-benchmarks-") as folder:
            found.collect(_on_adult(Path(folder)), options.console)
            found.collect(_on_kdd(Path(folder)), options.console)
    else:
        found.notes.append("Not measured: `../shared/data/tables` is absent.")
    others = describe_others(others_since(start))
    return found.render(_INTRO.format(machine=describe_machine(), others=others, rounds=_ROUNDS))


def _of_the_program() -> Iterator[Limit]:
    yield Limit("`deciban --version`", 1000 * _timed("--version")[0], 250, "ms")
    yield Limit("`deciban --help`", 1000 * _timed("--help")[0], 250, "ms")


def _on_adult(folder: Path) -> Iterator[Limit]:
    table, model, row, page = (folder / name for name in ("adult.csv", "adult.deciban", "row.json", "report.html"))
    _unpack("adult", table)
    _timed("fit", table, "--target", "income", "--exclude", "split", "-o", model, rounds=1)
    first = csv.read_csv(table).drop(["split", "income"]).slice(0, 1).to_pylist()[0]
    row.write_text(json.dumps(first))
    yield Limit("`deciban predict` of one row of Adult", 1000 * _timed("predict", model, row)[0], 700, "ms")
    yield Limit("`deciban report` on Adult", _timed("report", model, table, "-o", page, rounds=3)[0], 10, "s")
    yield Limit("the page of this report", page.stat().st_size / 1e6, 3, "MB")


def _on_kdd(folder: Path) -> Iterator[Limit]:
    table = folder / "kdd.csv"
    _unpack("kddcup99_10pct", table)
    target = table.open().readline().strip().split(",")[-1]
    seconds, peak = _timed("fit", table, "--target", target, "-o", folder / "kdd.deciban")
    yield Limit("`deciban fit` on KDD Cup 99", seconds, 4, "s")
    yield Limit("peak memory of this", peak / 1e6, 600, "MB")


def _unpack(name: str, path: Path) -> None:
    with gzip.open(TABLES / f"{name}.csv.gz") as packed, path.open("wb") as file:
        shutil.copyfileobj(packed, file)


def _timed(*arguments: object, rounds: int = _ROUNDS) -> tuple[float, int]:
    """The median seconds of a command, and the highest resident size in bytes."""
    command = [str(_COMMAND), *map(str, arguments)]
    # An installed package has its bytecode beside it; one that is used in place writes it in the first run.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    seconds, peaks = [], []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
        _, status, usage = os.wait4(process.pid, 0)
        seconds.append(time.perf_counter() - start)
        peaks.append(usage.ru_maxrss * 1024)
        if process.returncode is None:
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
    return median(seconds[1:]), max(peaks)
