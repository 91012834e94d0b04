"""The section `missing-values`: `db.search` on samples of known networks from which values were removed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from time import perf_counter
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import deciban as db
from benchmarks.graphs.peers import Marks, distance, marks_of
from benchmarks.graphs.samples import draw_codes
from benchmarks.harness.machine import describe_machine, describe_others, others_since, read_usage
from benchmarks.harness.options import Options
from benchmarks.harness.paths import NETS
from benchmarks.harness.report import markdown_table
from benchmarks.harness.results import show
from deciban.errors import MissingValueError

__all__ = ["MissingRow", "run"]

_NAMES = ("asia", "child", "insurance", "alarm")
_MECHANISMS = ("MCAR", "MAR", "MNAR")
_SHARES = (0.1, 0.3)
_SEEDS = (401, 402, 403)
_ROWS = 5_000
How = Literal["error", "drop", "skip", "em"]
_HOW: tuple[How, ...] = ("drop", "skip", "em")

_INTRO = """Measured with `python -m benchmarks --only missing-values` on {machine}.{others}

{rows:,} rows are drawn from each of four networks, {seeds} times (seeds {first} to {last}), and a share of all cells
is removed: MCAR, completely at random; MAR, from a random half of the columns, at a rate that depends on the state of
another column, which is complete; MNAR, from every column, at a rate that depends on the value itself. Relative rates
of the states are drawn uniformly between 0.2 and 1.8 (MAR) or 0.1 and 1.9 (MNAR). Figures are structural Hamming
distances between the CPDAG that `db.search(rows, missing=…)` finds and the true one, means with the standard
deviation over the draws after ±, beside that of the rows before values were removed. Where `drop` leaves no row, it
is scored as a graph without edges. How `skip` compares families was chosen on sachs, hailfinder and water, seeds 1
and 2; the start of `em` on sachs, child and hailfinder, seed 1.
"""
_HEAD = ("network", "removed", "complete", "`drop`", "`skip`", "`em`", "rows left by `drop`", "`skip` s", "`em` s")


class MissingRow(NamedTuple):
    """The distances of each draw, by how missing values are treated, and the median seconds."""

    title: str
    removed: str
    complete: list[float]
    found: dict[How, list[float]]
    rows_left: list[int]
    seconds: dict[How, list[float]]

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        distances = [f"{np.mean(each):.1f} ± {np.std(each):.1f}" for each in (self.complete, *self.found.values())]
        times = [f"{np.median(self.seconds[how]):.1f}" for how in self.seconds]
        return self.removed, *distances, f"{np.mean(self.rows_left):,.0f}", *times


def run(options: Options) -> str:
    """Draw, remove, search and score; the quick form has one draw of one network."""
    numbers = {"rows": _ROWS, "seeds": len(_SEEDS), "first": _SEEDS[0], "last": _SEEDS[-1]}
    start = read_usage()
    names, seeds = (_NAMES[:1], _SEEDS[:1]) if options.is_quick else (_NAMES, _SEEDS)
    rows = []
    for row in _compare(names, seeds) if NETS.is_dir() else ():
        rows.append(row)
        show(row, options.console)
    others = describe_others(others_since(start))
    intro = _INTRO.format(machine=describe_machine(), others=others, **numbers)
    if not rows:
        return f"{intro}\nNot measured: `../shared/data/nets` is absent.\n"
    return "\n".join([intro, markdown_table(_HEAD, rows), _verdict(rows)])


def _verdict(rows: Sequence[MissingRow]) -> str:
    """Who is nearest, in how many rows."""
    means = [{how: float(np.mean(found)) for how, found in row.found.items()} for row in rows]
    nearest = {how: sum(one[how] <= min(one.values()) for one in means) for how in _HOW}
    sums = ", ".join(f"`{how}` {sum(one[how] for one in means):.1f}" for how in _HOW)
    complete = sum(float(np.mean(row.complete)) for row in rows)
    won = ", ".join(f"`{how}` in {count}" for how, count in nearest.items())
    return f"Of {len(rows)} rows, nearest to the truth, ties included: {won}. Sums: complete {complete:.1f}, {sums}.\n"


def _compare(names: Sequence[str], seeds: Sequence[int]) -> Iterator[MissingRow]:
    for name in names:
        net = db.read_net(NETS / f"{name}.bif.gz")
        true = marks_of(net.dag.cpdag())
        samples = [pd.DataFrame(draw_codes(net, _ROWS, seed)) for seed in seeds]
        complete = [float(distance(_found(sample, "error"), true)) for sample in samples]
        for share, mechanism in product(_SHARES, _MECHANISMS):
            row = MissingRow(
                name, f"{share:.0%} {mechanism}", complete, {how: [] for how in _HOW}, [], {"skip": [], "em": []}
            )
            for seed, sample in zip(seeds, samples, strict=True):
                gaps = remove(sample, share, mechanism, seed)
                row.rows_left.append(int(gaps.notna().all(axis=1).sum()))
                for how in _HOW:
                    start = perf_counter()
                    found = _found(gaps, how)
                    if how in row.seconds:
                        row.seconds[how].append(perf_counter() - start)
                    row.found[how].append(float(distance(found, true)))
            yield row


def _found(rows: pd.DataFrame, how: How) -> Marks:
    """The marks of the graph, in the order of the columns, which is that of the network's nodes."""
    try:
        graph = db.search(rows, missing=how).graph
    except MissingValueError:  # no row is left
        graph = db.DAG(nodes=list(rows.columns)).cpdag()
    return marks_of(graph._reordered(tuple(rows.columns)))


def remove(sample: pd.DataFrame, share: float, mechanism: str, seed: int) -> pd.DataFrame:
    """The sample without a share of its cells."""
    rng = np.random.default_rng(seed)
    values = sample.to_numpy()
    rates = np.full(values.shape, share)
    columns = values.shape[1]
    if mechanism == "MNAR":
        for column in range(columns):
            rates[:, column] *= _relative(values[:, column], 0.1, 1.9, rng)
    if mechanism == "MAR":
        order = rng.permutation(columns)
        whole, others = order[: columns // 2], order[columns // 2 :]
        rates[:, whole] = 0.0
        for column in others:
            rates[:, column] *= columns / len(others) * _relative(values[:, rng.choice(whole)], 0.2, 1.8, rng)
    return sample.astype(object).mask(rng.random(values.shape) < np.minimum(rates, 0.95))


def _relative(codes: NDArray[np.int64], low: float, high: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """A factor for each row, that of its state, with the mean 1."""
    factors = rng.uniform(low, high, int(codes.max()) + 1)[codes]
    return np.asarray(factors / factors.mean(), dtype=np.float64)
