"""The section `speed`: each drop-in classifier against scikit-learn's class of the same name."""

from __future__ import annotations

import time

from benchmarks.harness.machine import describe_machine, describe_others, others_since, read_usage
from benchmarks.harness.options import Options
from benchmarks.harness.timing import OURS, PEER, Clock, Task, alternate
from benchmarks.speed.bandwidth import Bandwidth, measure_bandwidth
from benchmarks.speed.imports import pandas_cases, time_imports
from benchmarks.speed.memory import measure_peak
from benchmarks.speed.parity import check_parity
from benchmarks.speed.rows import BASELINE, MemoryRow, TimeRow, memory_table, print_tables, time_table
from benchmarks.speed.samples import Sample
from benchmarks.speed.workloads import CONTESTANTS, WORKLOADS, Verb, Workload, task
from benchmarks.speed.workloads import OURS as DECIBAN
from benchmarks.speed.workloads import PEER as SCIKIT_LEARN
from deciban import _core

__all__ = ["PARTS", "run"]

_IMPORT = "import"
PARTS = (*(work.name for work in WORKLOADS), _IMPORT)

_IMPORT_AT_LEAST = 1 / 1.2  # no slower than scikit-learn + 20 %
_MEMORY_VERBS: tuple[Verb, ...] = ("fit", "predict")
_MEMORY_BELOW = 0.1

_INTRO = """Measured with `python -m benchmarks --only speed` on {machine}.{others}

Data are drawn with fixed seeds. Before timing, predictions are equal and fitted attributes agree to 1e-9 relative
(float32 input: to float32's last digit, against scikit-learn on the same numbers as float64). Times are medians of at
least 11 alternating runs after a warm-up; a ratio is scikit-learn's time over deciban's. "At least" is what the project
promises on two cores, with AVX2 and with AVX-512; for `import`, 0.83× is 20 % slower. deciban runs with each
instruction set of this processor: {sets}; numpy and scikit-learn use the newest. One thing that scikit-learn does in
fit is not in deciban's time: `feature_log_prob_` is computed when it is first read.

The floor is the time in which this machine only reads the input: its bytes over {best:.0f} GB/s, the best of several
rounds with {threads} threads (the median round: {median:.0f} GB/s).
"""
_SETS = {BASELINE: "what every x86-64 processor has", "v3": "AVX2", "v4": "AVX-512"}
_MEMORY_INTRO = """Peak memory is the rise of the peak resident size over one call in a fresh process, above the input
and with the result: the fitted model, or the predicted labels. The promise, under 10 % of the input, is for dense
input.
"""
_LOWER_BOUNDS = "Peaks marked ≥ are lower bounds: this system does not let a process reset its peak.\n"


def run(options: Options) -> str | None:
    """Time everything first, then measure memory, which other processes do not disturb.

    Progress is printed line by line: a spinner would need a thread of its own, and take the GIL from what is timed.
    """
    works = [work for work in WORKLOADS if options.has(work.name)]
    start = read_usage()
    bandwidth = measure_bandwidth()
    times = [row for work in works for row in _time(work, bandwidth, options)]
    if options.has(_IMPORT):
        times += [_time_import(has_pandas=has_pandas) for has_pandas in pandas_cases()]
    others = others_since(start)
    peaks = [row for work in works for row in _measure_memory(work, options)]
    print_tables(times, peaks, options.console)
    options.console.print(f"Both libraries gave the same answers.{describe_others(others)}")
    return None if options.parts else _render(times, peaks, bandwidth, others)


def _render(times: list[TimeRow], peaks: list[MemoryRow], bandwidth: Bandwidth, others: float | None) -> str:
    intro = _INTRO.format(
        machine=describe_machine(),
        others=describe_others(others),
        best=bandwidth.best / 1e9,
        median=bandwidth.median / 1e9,
        threads=bandwidth.threads,
        sets=", ".join(f"`{name}` ({_SETS[name]})" for name in _core.instruction_sets()),
    )
    is_exact = all(peak.is_exact for row in peaks for peak in (row.peer, row.ours))
    parts = [intro, time_table(times), _MEMORY_INTRO, memory_table(peaks)]
    return "\n".join(parts if is_exact else [*parts, _LOWER_BOUNDS])


def _time(work: Workload, bandwidth: Bandwidth, options: Options) -> list[TimeRow]:
    """Draw the sample, check parity, then time each verb."""
    sample = work.draw(options.scale)
    check_parity(work, sample)
    options.console.print(f"[bold]{work.name}[/]: both libraries agree")
    rows = []
    for verb, at_least in work.at_least.items():
        start = read_usage()
        clocks: dict[str, Clock] = {SCIKIT_LEARN: _clock(task(work, verb, SCIKIT_LEARN, sample), work.calls)}
        ours = _clock(task(work, verb, DECIBAN, sample), work.calls)
        clocks |= {name: _with_set(name, ours) for name in reversed(_core.instruction_sets())}
        seconds = alternate(clocks)
        floor = None if work.is_one_row else bandwidth.floor_ms(_bytes_read(sample, verb))
        title = f"{work.title}: {verb}"
        peer_seconds = seconds.pop(SCIKIT_LEARN)
        rows.append(TimeRow(f"{work.name} {verb}", title, peer_seconds, seconds, at_least, floor))
        others = describe_others(others_since(start))
        ratios = ", ".join(f"{rows[-1].ratio(name):.1f}× with {name}" for name in seconds)
        options.console.print(f"  {verb}: {ratios} (at least {at_least:g}×).{others}")
    return rows


def _clock(timed: Task, calls: int) -> Clock:
    def run_clock() -> list[float]:
        taken = []
        for _ in range(calls):
            start = time.perf_counter()
            result = timed()
            taken.append(time.perf_counter() - start)
            del result  # the caller frees what was returned, so this is not part of the task
        return taken

    return run_clock


def _with_set(name: str, clock: Clock) -> Clock:
    """The same clock with another instruction set."""

    def run_clock() -> list[float]:
        before = _core.instruction_set()
        _core.set_instruction_set(name)
        try:
            return clock()
        finally:
            _core.set_instruction_set(before)

    return run_clock


def _bytes_read(sample: Sample, verb: Verb) -> int:
    """The bytes that the verb must read at least once: the rows, and for fit their labels."""
    return sample.input_bytes + (sample.y.nbytes if verb == "fit" else 0)


def _time_import(*, has_pandas: bool) -> TimeRow:
    case = "with pandas" if has_pandas else "without pandas"
    seconds = time_imports(has_pandas=has_pandas)
    title = f"`import deciban` against `import sklearn.naive_bayes`, {case}"
    ours = dict.fromkeys(reversed(_core.instruction_sets()), seconds[OURS])
    return TimeRow(f"{_IMPORT} {case}", title, seconds[PEER], ours, _IMPORT_AT_LEAST, None)


def _measure_memory(work: Workload, options: Options) -> list[MemoryRow]:
    """The peaks of fit and predict, where the input is more than one row."""
    if work.is_one_row:
        return []
    rows = []
    for verb in _MEMORY_VERBS:
        peer, ours = (measure_peak(work, verb, contestant, options.scale) for contestant in CONTESTANTS)
        below = _MEMORY_BELOW if work.is_dense else None
        rows.append(MemoryRow(f"{work.name} {verb}", f"{work.title}: {verb}", peer, ours, below))
        options.console.print(f"  memory, {work.name} {verb}: {ours.above / 1e6:.1f} MB, {ours.share:.1%} of the input")
    return rows
