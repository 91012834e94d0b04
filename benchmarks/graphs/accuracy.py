"""The section `graph-accuracy`: graphs that `discover`, `search` and peers find where the true one is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata

import deciban as db
from benchmarks.graphs.known import CHOOSING, GROUPS, Group, Known, known_samples
from benchmarks.graphs.learners import ALPHA, LIMIT, OURS, PEERS, Learned, learn
from benchmarks.graphs.peers import Marks, arrow_f1, distance, skeleton_f1
from benchmarks.graphs.plots import draw_distances
from benchmarks.harness.machine import describe_run, missing_peer, read_usage
from benchmarks.harness.options import Options
from benchmarks.harness.paths import NETS
from benchmarks.harness.report import digits, markdown_table
from benchmarks.harness.store import Store
from deciban.errors import DecibanError

__all__ = ["Measured", "run"]

_INTRO = """Measured with `python -m benchmarks --only graph-accuracy` on {machine}.{others}

Rows are drawn from networks of categories (seed 5001), networks of numbers and random nets (seeds 5001 and 5002),
10,000 where nothing else is said. Settings
were chosen on {choosing}, and on random nets with other seeds; nothing was chosen on the other networks. The random
nets have 20 categories of two or three states or 50 numbers, with an average degree of 2, 4 or 8; the networks
of numbers are those that pgmpy's wheel has. deciban's PC is `db.discover(rows, alpha={alpha:g})`, the searches are
`db.search(rows, method=…)` with their defaults. causal-learn's PC has the same tests and alpha, its BOSS and GRaSP
have its own BDeu and BIC; MIIC reads categories only. No peer may take more than {limit} s of the processor for a
sample, and one that needs more on a sample of a group is not run on the others. bnlearn, pcalg and Tetrad
were not to be had.

SHD is the structural Hamming distance, the number of pairs of nodes that the CPDAG found and the true one connect
differently. F1 is that of the skeleton and that of the arrows of the CPDAG. BIC is that of the graph found minus that
of the true one, in nats for 1,000 rows, of those classes that have a DAG. Means are over the samples on which a
method ended; the mean rank by SHD is over all, with those that did not end last. Seconds are of the processor, the
median.
"""
_HEAD = ("method", "mean rank", "mean SHD", "F1 skeleton", "F1 arrows", "BIC", "seconds", "ended")


class Measured(NamedTuple):
    """What a method found on a sample."""

    shd: int
    skeleton: float
    arrows: float
    score: float | None
    seconds: float


Results = dict[tuple[str, int], dict[str, Measured | None]]
"""By the title and the seed of a sample, then by method."""


class _MethodRow(NamedTuple):
    """A method on the samples of a group."""

    title: str
    rank: float
    found: list[Measured]
    samples: int

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        if not self.found:
            return f"{self.rank:.2f}", "—", "—", "—", "—", "—", f"0 of {self.samples}"
        scores = [one.score for one in self.found if one.score is not None]
        return (
            f"{self.rank:.2f}",
            f"{np.mean([one.shd for one in self.found]):.1f}",
            f"{np.mean([one.skeleton for one in self.found]):.3f}",
            f"{np.mean([one.arrows for one in self.found]):.3f}",
            f"{np.mean(scores):+.4g}" if scores else "—",
            digits(float(np.median([one.seconds for one in self.found]))),
            f"{len(self.found)} of {self.samples}",
        )


class _SampleRow(NamedTuple):
    """The mean distance of each method on the draws of one network; the smallest in bold."""

    title: str
    distances: Sequence[float | None]

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        best = min(round(value, 1) for value in self.distances if value is not None)
        return tuple(
            "—" if value is None else f"**{value:.1f}**" if round(value, 1) == best else f"{value:.1f}"
            for value in self.distances
        )


def run(options: Options) -> str:
    """Draw, learn and measure; the quick form has one sample of each group."""
    start = read_usage()
    store = Store(options.results / "graph-accuracy", options.is_fresh)
    methods = [*OURS, *(name for name, (package, _) in PEERS.items() if not missing_peer(package))]
    by_group: dict[Group, Results] = {group: {} for group in GROUPS}
    for known in known_samples(is_quick=options.is_quick) if NETS.is_dir() else ():
        results = by_group[known.group]
        measured = dict(_measured(known, methods, results, store))
        results[known.title, known.seed] = measured
        found = ", ".join(f"{name} {one.shd if one else '—'}" for name, one in measured.items())
        options.console.print(f"[bold]{known.title}[/] ({known.seed}): {found}")
    numbers = {"alpha": ALPHA, "limit": LIMIT, "choosing": ", ".join(CHOOSING)}
    intro = _INTRO.format(**describe_run(start, "causal-learn", "pyAgrum"), **numbers)
    if not any(by_group.values()):
        return f"{intro}\nNot measured: `../shared/data/nets` is absent.\n"
    figure = {group: _distances(results, methods) for group, results in by_group.items() if results}
    if not options.is_quick:
        draw_distances(figure)
    return "\n".join(
        [
            intro,
            "![mean distances to the true graph](figures/benchmarks/graphs-accuracy.svg)\n",
            *_tables(by_group, methods),
        ]
    )


def _tables(by_group: Mapping[Group, Results], methods: Sequence[str]) -> Iterator[str]:
    for group, results in by_group.items():
        if results:
            yield f"{group.capitalize()}: all measures.\n"
            yield markdown_table(_HEAD, list(_method_rows(results, methods)))
    samples = [row for results in by_group.values() for row in _sample_rows(results, methods)]
    yield "Mean SHD of each.\n"
    yield markdown_table(("sample", *methods), samples)


def _measured(
    known: Known, methods: Sequence[str], before: Results, store: Store
) -> Iterator[tuple[str, Measured | None]]:
    """What each method finds; peers from the store where they have been run before."""
    for name in methods:
        if name in OURS:
            yield name, _measure(known, learn(name, known.values, known.kind))
            continue
        if any(found[name] is None for found in before.values()):  # it would take longer than the limit again
            yield name, None
            continue
        package = PEERS[name][0]
        key = {"sample": known.title, "seed": known.seed, "version": version(package), "seconds": LIMIT}
        kept = store.get(known.group, name, key, partial(_as_json, known, name))
        learned = None if kept is None else Learned(np.array(kept["marks"], dtype=np.int64), kept["seconds"])
        yield name, _measure(known, learned)


def _as_json(known: Known, name: str) -> dict[str, Any] | None:
    learned = learn(name, known.values, known.kind)
    return None if learned is None else {"marks": learned.marks.tolist(), "seconds": learned.seconds}


def _measure(known: Known, learned: Learned | None) -> Measured | None:
    if learned is None:
        return None
    true = known.marks
    found = learned.marks
    return Measured(
        distance(found, true), skeleton_f1(found, true), arrow_f1(found, true), _score(known, found), learned.seconds
    )


def _score(known: Known, marks: Marks) -> float | None:
    """BIC of a DAG of the class found minus that of the true graph, for 1,000 rows; None where there is no such DAG."""
    names = [str(node) for node in known.dag.nodes]
    tails, heads = np.nonzero((marks == -1) & (marks.T == 1))
    ends = np.nonzero(np.triu((marks == -1) & (marks.T == -1)))
    arrows = [(names[a], names[b]) for a, b in zip(tails, heads, strict=True)]
    lines = [(names[a], names[b]) for a, b in zip(*ends, strict=True)]
    try:
        found = db.PDAG(arrows, lines, names).extension()
    except DecibanError:
        return None
    table = pd.DataFrame(known.values, columns=names)
    table = table.astype("category") if known.kind == "categories" else table
    gain = db.score_graph(found, table) - db.score_graph(known.dag, table)
    return float(1000 * gain / len(table))


def _ranks(results: Results, methods: Sequence[str]) -> Mapping[str, float]:
    """The mean rank of each method by its distance on each sample."""
    distances = [
        [np.inf if (one := found[name]) is None else one.shd for name in methods] for found in results.values()
    ]
    return dict(zip(methods, rankdata(distances, axis=1).mean(axis=0).tolist(), strict=True))


def _method_rows(results: Results, methods: Sequence[str]) -> Iterator[_MethodRow]:
    ranks = _ranks(results, methods)
    for name in methods:
        ended = [one for found in results.values() if (one := found[name]) is not None]
        yield _MethodRow(name, ranks[name], ended, len(results))


def _sample_rows(results: Results, methods: Sequence[str]) -> Iterator[_SampleRow]:
    for title in dict.fromkeys(title for title, _ in results):
        own = {key: found for key, found in results.items() if key[0] == title}
        yield _SampleRow(title, [_distances(own, [name])[name] for name in methods])


def _distances(results: Results, methods: Sequence[str]) -> dict[str, float | None]:
    """The mean distance of each method; None of one that did not end on all samples."""
    out: dict[str, float | None] = {}
    for name in methods:
        ended = [one.shd for found in results.values() if (one := found[name]) is not None]
        out[name] = float(np.mean(ended)) if len(ended) == len(results) else None
    return out
