"""The section `mixed-nets`: fitting a net to a table of categories and numbers, against least squares with numpy.

The peer is what one would write without a net: for each number the rows are put into groups by the configuration of its
categorical parents, and numpy fits the regression of each group. Parity comes first: coefficients and variances agree
to 1e-7 of the deviation of the number. Queries of such nets are in the section `mixed-inference`, their graphs in
`mixed-graphs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa

import deciban as db
from benchmarks.harness.machine import describe_run, read_usage
from benchmarks.harness.options import Options
from benchmarks.harness.parity import check_posteriors
from benchmarks.harness.results import Findings, Limit, race
from benchmarks.harness.timing import Task, clock
from benchmarks.inference.mixed import random_mixed_net
from deciban.nets import MixedNetwork

__all__ = ["run"]

_CATEGORIES, _NUMBERS, _SEED, _ROWS = 20, 17, 1, 1_000_000
_ROUNDS, _AT_LEAST, _SECONDS, _SAME = 3, 1, 1.0, 1e-7
_INTRO = """Measured with `python -m benchmarks --only mixed-nets` on {machine}.{others}

{rows:,} rows drawn from a random net of 37 nodes, 17 of them numbers, with one or two parents each, as an Arrow table
whose categories are whole numbers. deciban reads the table, chooses the kind of each node, and fits all tables and
regressions, by least squares (`shrinkage=0`). The peer fits the regressions alone: it sorts the rows by configuration,
and calls `numpy.linalg.lstsq` for each. Intercepts, slopes and variances agree first. A ratio is the peer's time over
deciban's.
"""

Fitted = dict[Any, tuple[np.ndarray, np.ndarray]]
"""For each number the intercept and slopes of each configuration, as rows, and the variances."""


def run(options: Options) -> str:
    """Check parity, then time."""
    start, found, rows = read_usage(), Findings(), int(_ROWS * options.scale)
    network = random_mixed_net(np.random.default_rng(_SEED), _CATEGORIES, _NUMBERS)
    table = db.BayesNet.of(network).sample(rows, random_state=_SEED)
    columns = {node: table[node].to_numpy() for node in network.nodes}
    ours, theirs = partial(_fit, network, table), partial(_least_squares, network, columns)
    _check(columns, ours(), theirs())
    ratio = race(f"{rows:,} × {len(network.nodes)}", "numpy", clock(theirs), clock(ours), _AT_LEAST, _ROUNDS)
    found.collect([ratio], options.console)
    title = f"{rows:,} × {len(network.nodes)}, processor time of both cores"
    found.collect([Limit(title, _processor_seconds(ours), _SECONDS, "s")], options.console)
    return found.render(_INTRO.format(rows=rows, **describe_run(start)))


def _processor_seconds(task: Task) -> float:
    """The least of some runs, which what else the machine does cannot lengthen as it does the time of the clock."""
    seconds = []
    for _ in range(_ROUNDS):
        start = process_time()
        task()
        seconds.append(process_time() - start)
    return min(seconds)


def _fit(network: MixedNetwork, table: pa.Table) -> db.BayesNet:
    return db.BayesNet(network.dag).fit(table, shrinkage=0)


def _least_squares(network: MixedNetwork, columns: Mapping[Any, np.ndarray]) -> Fitted:
    fitted = {}
    for node in network.numbers:
        own = network.regressions[node]
        cards = [len(network.states[category]) for category in own.categories]
        size = int(np.prod(cards, dtype=int))
        rows = len(columns[node])
        group = (
            np.ravel_multi_index(tuple(columns[category] for category in own.categories), cards)
            if cards
            else np.zeros(rows, dtype=int)
        )
        order = np.argsort(group, kind="stable")
        ends = np.cumsum(np.bincount(group, minlength=size))
        design = np.column_stack([np.ones(rows), *(columns[number] for number in own.numbers)])[order]
        target = columns[node][order]
        coefficients, variances = np.empty((size, design.shape[1])), np.empty(size)
        for i, (first, last) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
            part, values = design[first:last], target[first:last]
            coefficients[i] = np.linalg.lstsq(part, values)[0]
            variances[i] = ((values - part @ coefficients[i]) ** 2).mean()
        fitted[node] = coefficients, variances
    return fitted


def _check(columns: Mapping[Any, np.ndarray], net: db.BayesNet, theirs: Fitted) -> None:
    """The regressions agree, in units of the deviation of each number."""
    for node, (coefficients, variances) in theirs.items():
        own = net.regressions[node]
        unit = float(columns[node].std())
        ours = np.column_stack([own.intercepts.ravel(), own.slopes.reshape(len(coefficients), -1)])
        check_posteriors("numpy", ours / unit, coefficients / unit, _SAME)
        check_posteriors("numpy", own.variances.ravel() / unit**2, variances / unit**2, _SAME)
