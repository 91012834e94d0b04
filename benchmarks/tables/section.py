"""The section `tables`: `NaiveBayes` on Adult, on single rows and on KDD Cup 99."""

from __future__ import annotations

from benchmarks.harness.machine import describe_machine, describe_others, others_since, read_usage
from benchmarks.harness.options import Options
from benchmarks.harness.paths import TABLES
from benchmarks.harness.results import Findings
from benchmarks.tables.adult import race_adult, read_adult
from benchmarks.tables.connections import LIMITS, measure_memory, time_connections
from benchmarks.tables.one_row import race_river, time_one_row

__all__ = ["run"]

_INTRO = """Measured with `python -m benchmarks --only tables` on {machine}.{others}

Adult is a pandas frame as `read_csv` gives it, 6 columns of numbers and 8 of labels; each run encodes, fits and gives
the posteriors of all rows. Before timing, posteriors agree to 1e-6 where all have the same distributions: Laplace's
rule, and variances as counted (`Gaussian(strength=0)`, `var_smoothing=0`). river adds 1e-9 to every density, so it is
compared in rows where all densities are above 1e-4. Times are medians of alternating runs after a warm-up; a ratio is
the peer's time over deciban's.
"""
_BOUNDS = """KDD Cup 99 is a pyarrow table, in the chunks in which `read_csv` gives it. Memory is the rise of the peak
resident size over one call in a fresh process, the highest of three.
"""


def run(options: Options) -> str:
    """Check parity, then measure times and memory; only a note where the tables are absent."""
    found = Findings()
    if not TABLES.is_dir():
        found.notes.append("Not measured: `../shared/data/tables` is absent.")
        return found.render(_INTRO.format(machine=describe_machine(), others=""))
    start = read_usage()
    X, y = read_adult(options.scale)
    for rows in (race_adult(X, y), race_river(X, y), time_one_row(X, y)):
        found.collect(rows, options.console)
    found.collect(time_connections("NaiveBayes", options.scale), options.console)
    others = others_since(start)
    verbs = LIMITS["NaiveBayes"].megabytes
    found.collect((measure_memory("NaiveBayes", verb, options.scale) for verb in verbs), options.console)
    return found.render(_INTRO.format(machine=describe_machine(), others=describe_others(others)), _BOUNDS)
