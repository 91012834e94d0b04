"""log P(row | class) of models of combinations of columns, from the states of the columns.

TAN is a sum of table lookups. Where a value is missing on which others depend, the sum has in its place the logarithm
of a message, as in `deciban.models.families.tan`:

    m_i(u) = Σ_v P(v | u, j)·Π_known children P(x_c | v, j)·Π_missing children m_c(v)

Messages are computed for the rows that need them alone: complete rows cost no more than their lookups.

AODE is a weighted mean of one-dependence models, each of them a sum of lookups:

    log P(x | j) = log Σ_i w_i·exp L_ij − log Σ_i w_i,    L_ij = Σ_k log P(x_k | x_i, j)

over the columns i whose value is used as a parent; where there is none, naive Bayes. KDB is one sum of lookups.
"""

from __future__ import annotations

from math import prod

import numpy as np

from deciban.estimate.closed_form import Average, Parent, Sums, Tree
from deciban.estimate.likelihood import StateLogs
from deciban.export.onnx.columns import Columns, add_states
from deciban.export.onnx.graph import Graph, sum_rows
from deciban.types import Floats, Ints

__all__ = ["add_average", "add_sums", "add_tree"]


class _Codes:
    """The codes of the states of all columns, and where each column is in their tensor.

    Of n states, n is an unseen label and n + 1 a missing value.
    """

    def __init__(self, columns: Columns) -> None:
        self.graph = columns.graph
        formulas = {i: each for i, each in enumerate(columns.formulas) if isinstance(each, StateLogs)}
        self.tensor, self.order = add_states(columns, formulas, np.zeros(len(formulas), dtype=np.int64))
        self.place = {i: place for place, i in enumerate(self.order)}
        self.sizes = {i: len(formula.logs) for i, formula in formulas.items()}

    def of(self, tensor: str, i: int) -> str:
        """The codes of one column, as a vector."""
        return self.graph.add("Gather", tensor, self.place[i], axis=1)


def _with_missing(logs: Floats) -> Floats:
    """The table with zeros for a missing value at the end of its states: parents × states × classes."""
    return np.pad(logs, ((0, 0), (0, 1), (0, 0)))


def add_tree(columns: Columns, tree: Tree) -> str:
    """Add log P(row | class) of a tree at temperature 1."""
    codes, graph = _Codes(columns), columns.graph
    # an own row of zeros for a missing parent: its column is scored by messages
    tables = {i: np.pad(_with_missing(logs), ((0, 1), (0, 0), (0, 0))) for i, logs in tree.logs.items()}
    widths = np.array([0 if tree.parents[i] < 0 else tables[i].shape[1] for i in codes.order])
    starts = np.cumsum([0, *(tables[i].shape[0] * tables[i].shape[1] for i in codes.order[:-1])])
    rows = graph.add("Add", codes.tensor, starts)
    if widths.any():
        parents = np.array([codes.place[max(tree.parents[i], 0)] for i in codes.order])
        above = graph.add("Gather", codes.tensor, parents, axis=1)
        rows = graph.add("Add", rows, graph.add("Mul", above, widths))
    classes = next(iter(tables.values())).shape[2]
    whole = sum_rows(graph, np.concatenate([tables[i].reshape(-1, classes) for i in codes.order]), rows)
    inner = sorted({parent for parent in tree.parents.values() if parent >= 0})
    return _with_messages(codes, tree, inner, whole) if inner else whole


def _with_messages(codes: _Codes, tree: Tree, inner: list[int], whole: str) -> str:
    """The same, with messages in rows that lack a value on which others depend."""
    graph = codes.graph
    missing = np.array([codes.sizes[i] + 1 for i in inner])
    given = graph.add("Gather", codes.tensor, np.array([codes.place[i] for i in inner]), axis=1)
    count = graph.add("ReduceSum", graph.as_integers(graph.add("Equal", given, missing)), np.array([1]), keepdims=0)
    # The messages of few rows are scattered back over the sums of lookups, which are wrong in these rows.
    at = graph.add("Transpose", graph.add("NonZero", count), perm=[1, 0])
    some = graph.add("GatherND", codes.tensor, at)
    messages: dict[int, list[str]] = {i: [] for i in (-1, *tree.parents)}
    # From the leaves up: the message of a column contains those of its children.
    for i in reversed(tree.parents):
        made = _message(codes, some, i, tree.logs[i], messages[i], has_children=i in inner)
        messages[tree.parents[i]].append(made)
    total = graph.add("Squeeze", graph.total(messages[-1]), np.array([2]))
    return graph.add("ScatterND", whole, at, graph.add("Transpose", total, perm=[1, 0]))


def _message(codes: _Codes, rows: str, i: int, logs: Floats, below: list[str], *, has_children: bool) -> str:
    """log m(u): classes × rows × the parent's states; `below` are the messages of the children."""
    graph, own = codes.graph, codes.of(rows, i)
    if not has_children:  # 0 where it is missing: the sum over its values is 1
        return graph.add("Gather", _with_missing(logs).transpose(2, 1, 0), own, axis=1)
    states = codes.sizes[i]
    is_summed = np.full((states + 2, states + 1), -np.inf)  # of a known value that alone, of a missing one all states
    np.fill_diagonal(is_summed, 0.0)
    is_summed[-1, :-1] = 0.0
    terms = graph.total([*below, graph.add("Gather", is_summed, own, axis=0)])
    largest = graph.add("ReduceMax", terms, axes=[2], keepdims=1)
    finite = graph.add("Where", graph.add("Equal", largest, -np.inf), 0.0, largest)  # −∞ − (−∞) would be NaN
    shares = graph.add("Exp", graph.add("Sub", terms, finite))
    sums = graph.add("MatMul", shares, np.exp(logs).transpose(2, 1, 0))
    return graph.add("Add", graph.add("Log", sums), finite)


def add_average(columns: Columns, average: Average) -> str:
    """Add log P(row | class) of an average at temperature 1."""
    codes, graph = _Codes(columns), columns.graph
    heights = [codes.sizes[i] + 2 for i in codes.order]
    children = graph.add("Add", codes.tensor, np.cumsum([0, *heights[:-1]]))
    alone = np.concatenate([np.pad(average.alone[i], ((0, 1), (0, 0))) for i in codes.order])
    naive = sum_rows(graph, alone, children)
    if not average.parents:
        return naive
    logs, weights = [], []
    for parent in average.parents:
        own, states = codes.of(codes.tensor, parent.column), codes.sizes[parent.column]
        table = _table_of_parent(codes, parent, average)
        first = graph.add("Unsqueeze", graph.add("Mul", own, sum(heights)), np.array([1]))
        summed = sum_rows(graph, table.reshape(-1, table.shape[2]), graph.add("Add", children, first))
        # −∞ is the logarithm of the weight of a model that is not used
        log_weights = np.full(states + 2, -np.inf)
        log_weights[:states][np.asarray(parent.is_used)] = np.log(parent.weight)
        weight = graph.add("Unsqueeze", graph.add("Gather", log_weights, own), np.array([1]))
        weights.append(weight)
        logs.append(graph.add("Add", summed, weight))
    mean = graph.add("Sub", _log_sum(graph, logs), _log_sum(graph, weights))
    is_any = graph.add("Greater", graph.greatest(weights), -np.inf)
    return graph.add("Where", is_any, mean, naive)


def _table_of_parent(codes: _Codes, parent: Parent, average: Average) -> Floats:
    """The parent's states, an unseen and a missing one × the states of all columns × classes."""
    tables = []
    for i in codes.order:
        logs = average.alone[i][None] if i == parent.column else parent.logs[i]
        table = np.zeros((codes.sizes[parent.column] + 2, codes.sizes[i] + 2, logs.shape[2]))
        table[: codes.sizes[parent.column], :-1] = logs
        tables.append(table)
    return np.concatenate(tables, axis=1)


def _log_sum(graph: Graph, logs: list[str]) -> str:
    """log Σ exp of tensors; −∞ where all are."""
    largest = graph.greatest(logs)
    finite = graph.add("Where", graph.add("Equal", largest, -np.inf), 0.0, largest)
    total = graph.total([graph.add("Exp", graph.add("Sub", log, finite)) for log in logs])
    return graph.add("Add", graph.add("Log", total), finite)


def add_sums(columns: Columns, sums: Sums) -> str:
    """Add the sum of lookups in tables of several columns each."""
    codes, graph = _Codes(columns), columns.graph
    # Tables of KDB have one row for an unseen and a missing value: both are the code n.
    known = graph.add("Min", codes.tensor, np.array([codes.sizes[i] for i in codes.order]))
    # All tables at once: a row is Σ code·stride over the columns of a table; one with fewer columns has strides of 0.
    depth = max(len(table.columns) for table in sums.tables)
    places, strides = np.zeros((2, depth, len(sums.tables)), dtype=np.int64)
    for k, table in enumerate(sums.tables):
        for level, i in enumerate(table.columns):
            places[level, k], strides[level, k] = codes.place[i], prod(table.logs.shape[level + 1 : -1])
    rows = graph.constant(_starts([table.logs for table in sums.tables]))
    for place, stride in zip(places, strides, strict=True):
        rows = graph.add("Add", rows, graph.add("Mul", graph.add("Gather", known, place, axis=1), stride))
    logs = [table.logs.reshape(-1, table.logs.shape[-1]) for table in sums.tables]
    return sum_rows(graph, np.concatenate(logs), rows)


def _starts(tables: list[Floats]) -> Ints:
    """The first row of each table where all follow one another."""
    return np.cumsum([0, *(prod(table.shape[:-1]) for table in tables[:-1])])
