"""Rows of numbers and categories, for effects that are estimated by regressions.

Rows are put in the order of their values, and equal rows are one row with the sum of their weights. So a row of weight
3 is three copies of it, also in folds, and the order of the rows of the table changes nothing, not even the rounding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from deciban.errors import InputError
from deciban.limits import check_memory
from deciban.nets.data.node_rows import NodeKind, Rows, check_kind, kind_of, kinds_of_columns, kinds_of_nodes
from deciban.nets.data.samples import code_rows, number_rows
from deciban.nets.graphs.graph import Node, sort_key
from deciban.nets.network import State
from deciban.types import AnyArray, Floats, Ints

__all__ = ["Block", "MeasuredRows", "are_tables"]


# A slope in units of such a column is at most 1e300, as no number exceeds 1e150.
_SMALLEST = 1e-150


@dataclass(frozen=True, eq=False)
class Block:
    """Columns of a regression.

    A number has one, in standard deviations from its mean; a category has an indicator for each state but the first.
    `scale` is the standard deviation of each number, 1 of an indicator; `owners` is the node of each column.
    """

    values: Floats
    centre: Floats
    scale: Floats
    owners: tuple[Node, ...]


@dataclass(frozen=True, eq=False)
class MeasuredRows:
    """Numbers by node; codes and states of categories by node; the weight of each row."""

    numbers: Mapping[Node, Floats]
    codes: Mapping[Node, Ints]
    states: Mapping[Node, tuple[State, ...]]
    weight: Floats
    left_out: int

    @classmethod
    def of(cls, rows: Rows, columns: Mapping[Node, NodeKind] | None = None) -> MeasuredRows:
        """The rows of a table; `columns` says which of them are numbers, and which categories."""
        # By name, so that neither the order of the columns nor that of the graph's nodes decides about a sum.
        nodes = sorted(rows.columns, key=sort_key(rows.columns))
        kinds = _kinds(rows, columns or {})
        labels, numeric = ([node for node in nodes if kinds[node] == kind] for kind in get_args(NodeKind))
        values: list[AnyArray] = []
        states: dict[Node, tuple[State, ...]] = {}
        if labels:
            sample = code_rows(rows, labels, dtype=np.int64)
            values += list(sample.codes)
            states = {node: sample.states[node].values for node in labels}
        if numeric:
            numbers = number_rows(rows, numeric, labels='Say columns={…: "category"} of labels.').values
            values += list((numbers + 0.0).T)  # −0 is 0, also where rows are compared
        weights = np.ones(len(rows)) if rows.sample_weight is None else rows.sample_weight
        values, weight = _merged(values, weights)
        named = dict(zip([*labels, *numeric], values, strict=True))
        return cls(
            {node: named[node] for node in numeric},
            {node: named[node] for node in labels},
            states,
            weight,
            rows.dropped,
        )

    @property
    def total(self) -> float:
        """The number of rows that these stand for."""
        return float(self.weight.sum())

    def take(self, index: Ints, weight: Floats) -> MeasuredRows:
        """Some rows, by index, with other weights."""
        numbers = {node: values[index] for node, values in self.numbers.items()}
        codes = {node: values[index] for node, values in self.codes.items()}
        return replace(self, numbers=numbers, codes=codes, weight=weight)

    def is_number(self, node: Node) -> bool:
        """Whether a node is a number."""
        return node in self.numbers

    def is_constant(self, node: Node) -> bool:
        """Whether all rows have the same value."""
        values = self.numbers[node] if node in self.numbers else self.codes[node]
        return bool((values == values[0]).all())

    def indicators(self, node: Node) -> Floats:
        """A column for each state of a category: 1 where the row has it."""
        return (self.codes[node][:, None] == np.arange(len(self.states[node]))).astype(np.float64)

    def block(self, nodes: Sequence[Node], *, every_state: bool = False) -> Block:
        """The columns of some nodes, in the order of the nodes; constant numbers are 0."""
        widths = [1 if node in self.numbers else len(self.states[node]) - (not every_state) for node in nodes]
        check_memory(
            "the table of the regression, rows × columns,",
            len(self.weight), sum(widths) + 1,
            advice="Leave out categories with many states, or put these into groups.",
        )  # fmt: skip
        parts, centres, scales, owners = [np.empty((len(self.weight), 0))], [], [], []
        for node, width in zip(nodes, widths, strict=True):
            if node in self.numbers:
                values, centre, scale = self._standardized(node)
                parts.append(values[:, None])
                centres.append(centre)
                scales.append(scale)
            else:
                parts.append(self.indicators(node)[:, 0 if every_state else 1 :])
                centres += [0.0] * width
                scales += [1.0] * width
            owners += [node] * width
        return Block(np.hstack(parts), np.array(centres), np.array(scales), tuple(owners))

    def _standardized(self, node: Node) -> tuple[Floats, float, float]:
        values = self.numbers[node]
        if self.is_constant(node):
            return np.zeros(len(values)), float(values[0]), 1.0
        # Of a column with a large mean, the mean of the differences to one of its values keeps more digits.
        first = float(values[0])
        centre = first + float(np.average(values - first, weights=self.weight))
        centred = values - centre
        largest = float(np.abs(centred).max())  # squares of numbers up to 1e150 would overflow in their sum
        scale = largest * float(np.sqrt(np.average((centred / largest) ** 2, weights=self.weight)))
        if scale < _SMALLEST:
            raise InputError(
                f"column {node!r} has a standard deviation of {scale:g}, below the least of {_SMALLEST:g}. "
                "Use another unit."
            )
        return centred / scale, centre, scale


def are_tables(rows: Rows, columns: Mapping[Node, NodeKind] | None = None) -> bool:
    """Whether every column can be counted as categories, and none is declared to be a number."""
    declared = set((columns or {}).values())
    if "number" in declared:
        return False
    kinds = {node: kind_of(column, None, rows.sample_weight) for node, column in rows.columns.items()}
    return not any(
        kind.is_numeric and kind.kind in ("number", "identifier") and (columns or {}).get(node) != "category"
        for node, kind in kinds.items()
    )


def _kinds(rows: Rows, given: Mapping[Node, NodeKind]) -> dict[Node, NodeKind]:
    """Which columns are numbers and which categories, by the rule of all nets, or as a user says."""
    found = {node: kind_of(column, None, rows.sample_weight) for node, column in rows.columns.items()}
    given = {node: kind for node, kind in given.items() if node in found}
    kinds = kinds_of_nodes(found, given) if given else kinds_of_columns(found)
    for node, (kind, _) in kinds.items():
        if kind == "category":
            check_kind(node, found[node], f'pass columns={{{node!r}: "number"}}')
        elif rows.columns[node].is_declared:
            raise InputError(f"column {node!r} holds declared categories, so it cannot be read as numbers.")
    return {node: kind for node, (kind, _) in kinds.items()}


def _merged(values: list[AnyArray], weights: Floats) -> tuple[list[AnyArray], Floats]:
    """The distinct rows, sorted, and the sum of the weights of each."""
    # The weights are a key, too: the sum of those of equal rows then does not depend on the order of the rows.
    order = np.lexsort([weights, *reversed(values)])
    ordered = [column[order] for column in values]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = np.any([column[1:] != column[:-1] for column in ordered], axis=0)
    starts = np.flatnonzero(is_new)
    return [column[starts] for column in ordered], np.add.reduceat(weights[order], starts)
