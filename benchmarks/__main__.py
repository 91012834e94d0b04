"""Run the benchmarks: parity, time, memory, and the tables of docs/benchmarks.md."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from benchmarks.accuracy import compare_accuracy, render_accuracy
from benchmarks.data import Sample
from benchmarks.floor import Bandwidth, measure_bandwidth
from benchmarks.graph_accuracy import compare_graphs, render_graph_accuracy
from benchmarks.graphs import measure_graphs, render_graphs
from benchmarks.inference import measure_inference, render_inference
from benchmarks.machine import others_since, read_usage
from benchmarks.memory import measure_peak
from benchmarks.net_files import measure_net_files, render_net_files
from benchmarks.nets_classifiers import compare_classifiers, render_classifiers
from benchmarks.parity import ParityError, check_parity
from benchmarks.posteriors import measure_posteriors, render_posteriors
from benchmarks.report import MemoryRow, TimeRow, print_tables, render_section, write_section
from benchmarks.sampling import measure_sampling, render_sampling
from benchmarks.structures import measure_structures, render_structures
from benchmarks.tables import measure_tables, render_tables
from benchmarks.text import measure_text, render_text
from benchmarks.text_accuracy import compare_text, render_text_accuracy
from benchmarks.timing import time_import, time_verb
from benchmarks.workloads import OURS, PEER, WORKLOADS, Verb, Workload

__all__ = ["main"]

_PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
_IMPORT = "import"
_SECTIONS = _TABLES, _ACCURACY, _TEXT, _TEXT_ACCURACY = "tables", "accuracy", "text", "text-accuracy"
_NETS: Mapping[str, Callable[[Console, bool], str]] = {
    "graphs": lambda console, is_quick: render_graphs(measure_graphs(console, is_quick=is_quick)),
    "structures": lambda console, is_quick: render_structures(measure_structures(console, is_quick=is_quick)),
    "graph-accuracy": lambda console, is_quick: render_graph_accuracy(compare_graphs(console, is_quick=is_quick)),
    "inference": lambda console, is_quick: render_inference(measure_inference(console, _QUICK if is_quick else 1.0)),
    "net-files": lambda console, is_quick: render_net_files(measure_net_files(console)),  # noqa: ARG005  it is quick
    "sampling": lambda console, is_quick: render_sampling(measure_sampling(console, _QUICK if is_quick else 1.0)),
    "posteriors": lambda console, is_quick: render_posteriors(measure_posteriors(console, is_quick=is_quick)),
    "nets-classifiers": lambda console, is_quick: render_classifiers(compare_classifiers(console, is_quick=is_quick)),
}
_IMPORT_AT_LEAST = 1 / 1.2  # no slower than scikit-learn + 20 %
_MEMORY_VERBS: tuple[Verb, ...] = ("fit", "predict")
_MEMORY_BELOW = 0.1
_QUICK = 1 / 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; 1 when the libraries disagree."""
    given = _parser().parse_args(arguments)
    names, console = given.only or _names(), Console()
    try:
        sections = _measure(names, console, is_quick=given.quick)
    except ParityError as error:
        console.print(f"[red]not timed:[/] {error}")
        return 1
    for name, text in sections.items():
        write_section(_PAGE, name, text)
    written = ", ".join(sections) or "none"
    console.print(f"Sections of docs/benchmarks.md that were measured whole, and written: {written}.")
    return 0


def _names() -> list[str]:
    return [*_speed_names(), *_SECTIONS, *_NETS]


def _speed_names() -> list[str]:
    return [*(work.name for work in WORKLOADS), _IMPORT]


def _measure(names: Sequence[str], console: Console, *, is_quick: bool) -> dict[str, str]:
    """Measure what is asked for; the text of each section that was measured whole."""
    sections = {}
    scale = _QUICK if is_quick else 1.0
    if any(name in names for name in _speed_names()):
        run = _run(names, scale, console)
        print_tables(run.times, run.peaks, console)
        console.print(f"Both libraries gave the same answers{_disturbance(run.others)}.")
        if all(name in names for name in _speed_names()):
            sections["speed"] = render_section(run.times, run.peaks, run.bandwidth, run.others)
    if _TABLES in names:
        sections[_TABLES] = render_tables(measure_tables(console, scale))
    if _ACCURACY in names:
        sections[_ACCURACY] = render_accuracy(compare_accuracy(console, is_quick=is_quick))
    if _TEXT in names:
        sections[_TEXT] = render_text(measure_text(console, scale))
    if _TEXT_ACCURACY in names:
        sections[_TEXT_ACCURACY] = render_text_accuracy(compare_text(console, is_quick=is_quick))
    sections |= {name: run(console, is_quick) for name, run in _NETS.items() if name in names}
    return {} if is_quick else sections


class _Run(NamedTuple):
    times: list[TimeRow]
    peaks: list[MemoryRow]
    bandwidth: Bandwidth
    others: float | None


def _run(names: Sequence[str], scale: float, console: Console) -> _Run:
    """Time everything first, then measure memory; what others take of the machine matters only to times.

    Progress is printed line by line: a spinner would be a thread of its own, and take the GIL from what is timed.
    """
    works = [work for work in WORKLOADS if work.name in names]
    start = read_usage()
    bandwidth = measure_bandwidth()
    times = [row for work in works for row in _time(work, scale, bandwidth, console)]
    if _IMPORT in names:
        times += [_time_import(has_pandas=has_pandas) for has_pandas in _pandas_cases()]
    others = others_since(start)
    peaks = [row for work in works for row in _weigh(work, scale, console)]
    return _Run(times, peaks, bandwidth, others)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = _names()
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=f"some of: {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the rows, to try the benchmarks out")
    return parser


def _time(work: Workload, scale: float, bandwidth: Bandwidth, console: Console) -> list[TimeRow]:
    """Draw the sample, check parity, then time each verb."""
    sample = work.draw(scale)
    check_parity(work, sample)
    console.print(f"[bold]{work.name}[/]: both libraries agree")
    rows = []
    for verb, at_least in work.at_least.items():
        start = read_usage()
        seconds = time_verb(work, verb, sample)
        others = others_since(start)
        floor = None if work.is_one_row else bandwidth.floor_ms(_bytes_read(sample, verb))
        rows.append(
            TimeRow(f"{work.name} {verb}", f"{work.title}: {verb}", seconds[PEER], seconds[OURS], at_least, floor)
        )
        console.print(f"  {verb}: {rows[-1].ratio:.1f}× (at least {at_least:g}×){_disturbance(others)}")
    return rows


def _disturbance(others: float | None) -> str:
    """How much other processes may have spoiled a figure; with two threads, deciban suffers more from them."""
    return "" if others is None else f", others took {100 * others:.0f} % of the machine"


def _bytes_read(sample: Sample, verb: Verb) -> int:
    """What the verb must read at least once: the rows, and for fit their labels."""
    return sample.input_bytes + (sample.y.nbytes if verb == "fit" else 0)


def _pandas_cases() -> tuple[bool, ...]:
    return (True, False) if find_spec("pandas") else (False,)


def _time_import(*, has_pandas: bool) -> TimeRow:
    case = "with pandas" if has_pandas else "without pandas"
    seconds = time_import(has_pandas=has_pandas)
    title = f"`import deciban` against `import sklearn.naive_bayes`, {case}"
    return TimeRow(f"{_IMPORT} {case}", title, seconds[PEER], seconds[OURS], _IMPORT_AT_LEAST, None)


def _weigh(work: Workload, scale: float, console: Console) -> list[MemoryRow]:
    """Measure the peaks of fit and predict, where the input is large enough to speak of."""
    if work.is_one_row:
        return []
    rows = []
    for verb in _MEMORY_VERBS:
        peer, ours = (measure_peak(work, verb, contestant, scale) for contestant in (PEER, OURS))
        below = _MEMORY_BELOW if work.is_dense else None
        rows.append(MemoryRow(f"{work.name} {verb}", f"{work.title}: {verb}", peer, ours, below))
        console.print(f"  memory, {work.name} {verb}: {ours.above / 1e6:.1f} MB, {ours.part:.1%} of the input")
    return rows


if __name__ == "__main__":
    sys.exit(main())
