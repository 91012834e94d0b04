"""The section with the conditional tables: a row for each configuration of the parents, a column for each state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from deciban.choices import counted
from deciban.nets.graphs.base import Node
from deciban.nets.inference.belief_drawing import shown_states
from deciban.nets.inference.distribution import Distribution
from deciban.nets.learning.regression import LinearGaussian
from deciban.nets.network import Network
from deciban.reports.charts import heat
from deciban.reports.markup import Cell, details, grid, note, number, table, text
from deciban.reports.page import Section
from deciban.types import Floats

__all__ = ["regression_section", "table_section"]

_ROWS, _STATES, _NODES, _OPEN = 24, 10, 80, 100
"""The most rows and states of a table, the most tables, and the most rows in all for which tables need no click."""


def table_section(network: Network, counts: Mapping[Node, Floats] | None = None) -> Section:
    """P(node | parents) of each node; `counts` are the rows of the data in the same cells, where they are known."""
    order = network.dag.topological_order()
    tables = [_Table(network, node, None if counts is None else counts[node]) for node in order[:_NODES]]
    is_open = sum(one.configurations for one in tables) <= _OPEN and len(tables) == len(order)
    parts = (
        [grid(*(f"<div>{one.html()}</div>" for one in tables))]
        if is_open
        else [details(one.title, one.html()) for one in tables]
    )
    if len(tables) < len(order):
        parts.insert(0, note(f"The page shows the tables of {len(tables):,} of {counted(len(order), 'node')}."))
    lead = "The probability of each state of a node, for each combination of its parents' states; every row sums to 1."
    return Section("Conditional probability tables", "".join(parts), lead=lead, key="tables")


def regression_section(parameters: Mapping[Node, LinearGaussian]) -> Section:
    """The regression of each node of a Gaussian net on its parents."""
    rows: list[list[Cell]] = [
        [str(node), _formula(own), f"{own.sd:.6g}"] for node, own in list(parameters.items())[:_NODES]
    ]
    body = table(["node", "mean", "residual standard deviation"], rows, caption="Regressions")
    if len(rows) < len(parameters):
        body += note(f"The first {len(rows):,} of {counted(len(parameters), 'node')}.")
    lead = "The mean of each node is a linear function of its parents; around it lies a normal distribution."
    return Section("Regressions", body, lead=lead, key="tables")


@dataclass(frozen=True)
class _Table:
    """The table of one node, shortened where it is large."""

    network: Network
    node: Node
    counts: Floats | None

    @property
    def configurations(self) -> int:
        """The number of rows."""
        return int(self.flat.shape[0])

    @property
    def flat(self) -> Floats:
        table = self.network.tables[self.node]
        return table.reshape(-1, table.shape[-1])

    @property
    def title(self) -> str:
        given = ", ".join(map(str, self.network.parents[self.node]))
        size = counted(self.configurations, "row")
        return f"P({self.node} | {given}): {size}" if given else f"P({self.node})"

    def html(self) -> str:
        """The table, and a sentence where it is shortened."""
        parents, states = self.network.parents[self.node], self.network.states[self.node]
        columns = self._columns()
        heads: list[Cell] = [*(parents or [""]), *(f"= {states[k]}" for k in columns)]
        rows = self._rows()
        if self.counts is not None:
            heads.append(number("rows"))
        body = [self._row(row, columns) for row in rows]
        return table(heads, body, caption=self.title, kind="matrix tables") + self._shortened(len(rows), len(columns))

    def _row(self, row: int, columns: list[int]) -> list[Cell]:
        cells: list[Cell] = [*(self._configuration(row) or ["probability"])]
        cells += [heat(_probability(self.flat[row, k]), float(self.flat[row, k])) for k in columns]
        if self.counts is not None:
            cells.append(number(f"{self._row_counts()[row]:,.6g}"))
        return cells

    def _columns(self) -> list[int]:
        states = self.network.states[self.node]
        if len(states) <= _STATES:
            return list(range(len(states)))
        return shown_states(Distribution(self.node, states, self.flat.mean(axis=0)), _STATES)

    def _rows(self) -> list[int]:
        """All rows, the most frequent ones, or the first ones."""
        if self.configurations <= _ROWS:
            return list(range(self.configurations))
        if self.counts is None:
            return list(range(_ROWS))
        return sorted(np.argsort(-self._row_counts(), kind="stable")[:_ROWS].tolist())

    def _row_counts(self) -> Floats:
        assert self.counts is not None  # noqa: S101
        return np.asarray(self.counts, dtype=np.float64).reshape(self.flat.shape).sum(axis=1)

    def _configuration(self, row: int) -> list[str]:
        """The states of the parents in a row."""
        parents = self.network.parents[self.node]
        codes = np.unravel_index(row, self.network.tables[self.node].shape[:-1]) if parents else ()
        return [str(self.network.states[p][int(code)]) for p, code in zip(parents, codes, strict=True)]

    def _shortened(self, rows: int, columns: int) -> str:
        sentences = list(self._left_out(rows, columns))
        return (
            note(f"{' '.join(sentences)} All are in <code>net.tables[{text(repr(self.node))}]</code>.")
            if sentences
            else ""
        )

    def _left_out(self, rows: int, columns: int) -> Iterator[str]:
        if rows < self.configurations:
            which = "the first" if self.counts is None else "the most frequent"
            yield f"The table is shortened: it shows {which} {rows} of {self.configurations:,} rows."
        states = self.flat.shape[1]
        if columns < states:
            yield f"It shows the {columns} most probable of {states:,} states."


def _probability(p: float) -> str:
    return f"{p:.3f}" if p == 0 or p >= 0.0005 else f"{p:.0e}"


def _formula(own: LinearGaussian) -> str:
    terms = "".join(f" {'−' if b < 0 else '+'} {abs(b):.4g} · {parent}" for parent, b in own.coefficients.items())
    return f"{own.intercept:.4g}{terms}"
