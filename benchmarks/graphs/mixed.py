"""The section `mixed-graphs`: graphs found from tables of categories and numbers, beside cutting and coding them first.

Nets are drawn at random: half of the nodes are categories of 2 to 4 states, half are numbers. A number is a regression
with its own intercept, slopes and deviation in each configuration of its categorical parents; a category follows a
softmax of its parents, or, in the nets "without", has no numbers as parents, as in a conditional linear Gaussian net.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import deciban as db
from benchmarks.harness.machine import describe_machine
from benchmarks.harness.options import Options
from benchmarks.harness.report import markdown_table, yes_or_no
from benchmarks.harness.results import Limit, show

__all__ = ["MixedNet", "draw_net", "run"]

Table = dict[str, NDArray[Any]]

_NODES, _DEGREE = 12, 2.0
_FIRST, _NETS = 5000, 30
_ROWS = (500, 1_000, 2_000, 10_000)
_BINS = 5
_LARGE_NODES, _LARGE_DEGREE, _LARGE_ROWS, _MOST_SECONDS = 50, 3.0, 10_000, 5.0

_INTRO = """Measured with `python -m benchmarks --only mixed-graphs` on {machine}. {nets} random nets of {nodes} nodes,
half of them categories and half numbers, with two neighbours each on average (seeds {first} to {last}; settings were
chosen on seeds 1000 to 1019). The figure is the structural Hamming distance between the CPDAG found and the true one,
the mean over the nets. "Cut" has the numbers in {bins} bins of as many rows each, as tables; "coded" has the categories
as numbers. "Without" are nets in which categories have no numbers as parents. `dg` and `dg_bic` are the degenerate
Gaussian test and score of Tetrad (Andrews, Ramsey and Cooper 2019), computed by deciban; causal-learn 0.1.4.8 has none.
"""
_HEAD = ("nets, rows", "`cg`", "`dg`", "cut, G²", "coded, Fisher's z", "nearest?", "`cg` below `dg`?")
_SCORES = ("nets, rows", "`cg_bic`", "`dg_bic`", "cut, BIC", "coded, BIC", "nearest?", "`cg_bic` below `dg_bic`?")


@dataclass(frozen=True)
class MixedNet:
    """A graph of categories, each with its number of states, and numbers; and the seed of each node's parameters."""

    dag: db.DAG
    states: Mapping[str, int]
    seeds: Mapping[str, int]

    def sample(self, rows: int, seed: int) -> Table:
        """Draw rows, parents before children; categories are text."""
        rng = np.random.default_rng([11, seed])
        drawn: dict[str, NDArray[Any]] = {}
        for node in map(str, self.dag.topological_order()):
            parents = sorted(map(str, self.dag.parents(node)))
            categories = [parent for parent in parents if parent in self.states]
            numbers = [parent for parent in parents if parent not in self.states]
            own, scaled = np.random.default_rng(self.seeds[node]), {name: _scaled(drawn[name]) for name in numbers}
            if node in self.states:
                states = self.states[node]
                chances = np.zeros((rows, states)) + own.normal(0, 0.3, states)
                for parent in categories:
                    chances += own.normal(0, 1.3, (self.states[parent], states))[drawn[parent]]
                for parent in numbers:
                    chances += np.outer(scaled[parent], own.normal(0, 1.3, states))
                drawn[node] = (chances + rng.gumbel(size=chances.shape)).argmax(axis=1)
                continue
            configuration = np.zeros(rows, dtype=np.int64)
            for parent in categories:
                configuration = configuration * self.states[parent] + drawn[parent]
            count = prod(self.states[parent] for parent in categories)
            mean = own.normal(0, 1.2, count)[configuration]
            for parent in numbers:
                slope = own.choice([-1, 1]) * own.uniform(0.5, 1.2) + own.normal(0, 0.3, count)
                mean = mean + slope[configuration] * scaled[parent]
            drawn[node] = mean + own.uniform(0.6, 1.2, count)[configuration] * rng.normal(size=rows)
        labels = np.array([f"s{code}" for code in range(4)])
        names = map(str, self.dag.nodes)
        return {name: labels[drawn[name]] if name in self.states else 10 * drawn[name] + 3 for name in names}


def _scaled(values: NDArray[Any]) -> NDArray[Any]:
    return np.asarray((values - values.mean()) / values.std())


def draw_net(seed: int, *, nodes: int = _NODES, degree: float = _DEGREE, to_categories: bool = True) -> MixedNet:
    """Draw a net; without `to_categories` no category has a number as a parent."""
    rng = np.random.default_rng([7, seed])
    order = rng.permutation(nodes)
    names = [f"v{index:02d}" for index in range(nodes)]
    is_category = dict(zip(names, (rng.permutation(nodes) < nodes // 2).tolist(), strict=True))
    arrows = []
    for later in range(nodes):
        for earlier in range(later):
            parent, child = names[order[earlier]], names[order[later]]
            is_allowed = to_categories or is_category[parent] or not is_category[child]
            if rng.random() < degree / (nodes - 1) and is_allowed:
                arrows.append((parent, child))
    states = {name: int(rng.integers(2, 5)) for name in names if is_category[name]}
    return MixedNet(db.DAG(arrows, names), states, {name: int(rng.integers(1 << 30)) for name in names})


def cut(table: Table, bins: int = _BINS) -> Table:
    """The numbers in bins of as many rows each."""
    return {
        name: column if column.dtype.kind == "U" else np.asarray(pd.qcut(column, bins).astype(str))
        for name, column in table.items()
    }


def coded(table: Table) -> Table:
    """The categories as numbers; a little noise, as numbers of few values would be read as categories."""
    noise = np.random.default_rng(0).normal(0, 1e-6, len(next(iter(table.values()))))
    return {
        name: np.unique(column, return_inverse=True)[1] + noise if column.dtype.kind == "U" else column
        for name, column in table.items()
    }


_TESTS: tuple[Callable[[Table], Any], ...] = (
    lambda table: db.discover(table, test="cg").graph,
    lambda table: db.discover(table, test="dg").graph,
    lambda table: db.discover(cut(table), test="g2").graph,
    lambda table: db.discover(coded(table), test="fisher_z").graph,
)
_SEARCHES: tuple[Callable[[Table], Any], ...] = (
    lambda table: db.search(table, "cg_bic").graph,
    lambda table: db.search(table, "dg_bic").graph,
    lambda table: db.search(cut(table), "bic").graph,
    lambda table: db.search(coded(table), "gaussian_bic").graph,
)


class Distances(NamedTuple):
    """The mean distance of each way to find graphs, ours first: two that read both kinds, and two that do not."""

    title: str
    means: tuple[float, ...]

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        is_nearest = min(self.means[:2]) < min(self.means[2:])
        return (
            *(f"{mean:.2f}" for mean in self.means),
            yes_or_no(is_nearest),
            yes_or_no(self.means[0] < self.means[1]),
        )


def run(options: Options) -> str:
    """Draw nets, find their graphs, and time PC on a large one; the quick form has two nets of one size."""
    nets, sizes = (2, _ROWS[:1]) if options.is_quick else (_NETS, _ROWS)
    numbers = {"nets": nets, "nodes": _NODES, "first": _FIRST, "last": _FIRST + nets - 1, "bins": _BINS}
    parts = [_INTRO.format(machine=describe_machine(), **numbers)]
    for head, methods in ((_HEAD, _TESTS), (_SCORES, _SEARCHES)):
        rows = []
        for row in _distances(methods, nets, sizes):
            rows.append(row)
            show(row, options.console)
        parts.append(markdown_table(head, rows))
    limit = _large()
    show(limit, options.console)
    return "\n".join([*parts, markdown_table(("work", "deciban", "bound", "holds?"), [limit])])


def _distances(methods: Sequence[Callable[[Table], Any]], nets: int, sizes: Sequence[int]) -> Iterator[Distances]:
    for to_categories, title in ((False, "without"), (True, "with numbers as parents of categories")):
        for rows in sizes:
            found = []
            for seed in range(_FIRST, _FIRST + nets):
                net = draw_net(seed, to_categories=to_categories)
                table, true = net.sample(rows, seed), net.dag.cpdag()
                found.append([db.compare_graphs(true, method(table)).shd for method in methods])
            yield Distances(f"{title}, {rows:,}", tuple(np.mean(found, axis=0).tolist()))


def _large() -> Limit:
    table = draw_net(5, nodes=_LARGE_NODES, degree=_LARGE_DEGREE).sample(_LARGE_ROWS, 5)
    times = []
    for _ in range(3):
        begin = process_time()
        db.discover(table, test="cg")
        times.append(process_time() - begin)
    # Of all cores together, so that it does not depend on what else the machine does.
    title = f"PC with `cg`, {_LARGE_NODES} mixed columns, {_LARGE_ROWS:,} rows, processor time"
    return Limit(title, float(np.median(times)), _MOST_SECONDS, "s")
