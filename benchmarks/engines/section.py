"""The sections `engines` (files, text, databases, Spark) and `engines-large` (5 GB of CSV, 2 GB of text)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from benchmarks.engines.files import time_files
from benchmarks.engines.nets import time_nets
from benchmarks.engines.spark import time_spark
from benchmarks.engines.sql import time_sql
from benchmarks.engines.sql_scoring import time_scoring
from benchmarks.engines.text import time_texts
from benchmarks.harness.machine import describe_machine, describe_others, others_since, read_usage
from benchmarks.harness.options import Options
from benchmarks.harness.results import Findings, Limit, Rate, Ratio

__all__ = ["PARTS", "run", "run_large"]

_Rows = Iterable[Ratio | Limit | Rate | str]

_INTRO = """Measured with `python -m benchmarks --only {name}` on {machine}.{others}

The table has 8 columns of floats, 2 of whole numbers, 6 of labels (3 to 300 distinct) and 3 classes. Before timing,
tallies are compared with those of DuckDB. Times are medians of alternating runs; a ratio is the peer's time over
deciban's, so 0.5× is twice as long as the peer. Memory is the peak of the resident size of a fresh process.
"""
_TASKS: Mapping[str, Callable[[float], _Rows]] = {
    "engines-files": partial(time_files, is_large=False),
    "engines-text": partial(time_texts, is_large=False),
    "engines-sql": time_sql,
    "engines-scoring": time_scoring,
    "engines-spark": time_spark,
    "engines-nets": time_nets,
}
PARTS = tuple(_TASKS)


def run(options: Options) -> str | None:
    """Measure all parts, or some of them, which are printed only."""
    text = _measured("engines", [task for name, task in _TASKS.items() if options.has(name)], options)
    return None if options.parts else text


def run_large(options: Options) -> str:
    """Measure files that are larger than the memory of many machines."""
    return _measured("engines-large", [partial(time_files, is_large=True), partial(time_texts, is_large=True)], options)


def _measured(name: str, tasks: Iterable[Callable[[float], _Rows]], options: Options) -> str:
    found, start = Findings(), read_usage()
    for task in tasks:
        found.collect(task(options.scale), options.console)
    others = describe_others(others_since(start))
    return found.render(_INTRO.format(name=name, machine=describe_machine(), others=others))
