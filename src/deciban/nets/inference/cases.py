"""Rows of a table as cases: observed values are evidence, missing values are summed out or filled in.

Equal rows are computed once. How well a net describes rows is their mean information content,

    bits = −(1/n) Σ log₂ P(row),

what a row needs on average in the best code for the net, its log loss. The net without arrows whose probabilities are
the frequencies of the same rows needs Σ H(node) bits: what the arrows explain is the difference.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from deciban.errors import ImpossibleEvidenceError, ParameterError
from deciban.nets.data.node_rows import Rows, match_indices, read_rows
from deciban.nets.data.samples import code_rows
from deciban.nets.graphs.bits import mask_of
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.clique_tree import CliqueTree
from deciban.nets.inference.distribution import Distribution
from deciban.nets.inference.elimination import ROW_CELLS, Plan, SlicedElimination, eliminate, fits, plan
from deciban.nets.inference.evidence import Findings
from deciban.nets.inference.grouping import Group, distinct_rows, groups_of, patterns_of
from deciban.nets.inference.queries import engine_for, factors_of, joint, needed_nodes, refuse_impossible
from deciban.nets.network import Network, State
from deciban.read import Variable, is_frame, is_records, object_array
from deciban.ties import TIE, largest_first
from deciban.types import AnyArray, Codes, Floats, Ints
from deciban.units import bits_from_nats

__all__ = ["Assessment", "Fill", "Impossible", "assess", "fill_in", "log_likelihoods", "posteriors", "read_cases"]


Fill = Literal["mpe", "marginals"]
Impossible = Literal["error", "prior"]

_PATTERNS = 64
"""Up to so many sets of observed nodes each is eliminated by itself; an engine takes more of them at once."""


def read_cases(network: Network, data: Any, *, without: Node | None = None) -> Codes:
    """Codes, rows × nodes, −1 where a value is missing or the data have no such column.

    A column of the node ``without`` is not looked at; a column that is not a node is an error.
    """
    nodes = network.nodes
    rows = read_rows(data, nodes, missing="skip", choices=("skip",), may_lack=nodes, only_nodes=True)
    return _coded(network, rows, () if without is None else (without,))


def _coded(network: Network, rows: Rows, ignored: Collection[Node] = ()) -> Codes:
    fixed = {node: Variable.of_states(node, states, "fixed") for node, states in network.states.items()}
    sample = code_rows(rows, network.nodes, fixed=fixed, ignored=ignored, dtype=np.int32)
    return np.ascontiguousarray(sample.codes.T)  # a row of codes together, as the clique tree and `distinct_rows` read


def log_likelihoods(network: Network, codes: Codes) -> Floats:
    """log P(row) of each row, the missing values summed out; −∞ where a row is impossible."""
    first, which = distinct_rows(codes)
    rows = codes[first]
    # A complete row is a product of one entry of each table: it needs no inference.
    whole = (rows >= 0).all(axis=1)
    logs = np.empty(len(rows))
    logs[whole] = _complete(network, rows[whole])
    if not whole.all():
        logs[~whole] = _engine(network, rows[~whole]).log_probability(rows[~whole])
    return logs[which]


def posteriors(network: Network, codes: Codes, index: int, impossible: Impossible) -> Floats:
    """P(node | the rest of the row), rows × states."""
    if impossible not in ("error", "prior"):
        raise ParameterError(f'impossible is "error" or "prior", not {impossible!r}')
    first, which = distinct_rows(codes)
    rows = codes[first]
    probabilities = _posteriors(network, rows, index)
    is_impossible = probabilities.sum(axis=1) == 0
    if is_impossible.any():
        if impossible == "error":
            _refuse_row(network, codes, int(np.argmax(is_impossible[which])))
        probabilities[is_impossible] = joint(network, [index], Findings())
    return probabilities[which]


def fill_in(network: Network, data: Any, method: Fill) -> Any:
    """The data with every missing value filled in: see ``BayesNet.impute``."""
    if method not in ("mpe", "marginals"):
        raise ParameterError(f'method is "mpe" or "marginals", not {method!r}')
    codes = read_cases(network, data)
    first, which = distinct_rows(codes)
    rows = codes[first]
    if method == "mpe":
        filled, logs = _engine(network, rows).best(rows)
    else:
        logs, beliefs = _engine(network, rows).marginals(rows)
        filled = rows.copy()
        for index, span in enumerate(network._spans):
            of_node, is_missing = beliefs[:, span], rows[:, index] < 0
            # Within rounding: the clique tree and elimination differ in the last bit, and must fill in the same state.
            best = (of_node >= of_node.max(axis=1, keepdims=True) * (1.0 - TIE)).argmax(axis=1)
            filled[is_missing, index] = best[is_missing]
    if np.isneginf(logs).any():
        _refuse_row(network, codes, int(np.argmax(np.isneginf(logs)[which])))
    return _written(network, data, codes, filled[which])


def _written(network: Network, data: Any, codes: Codes, filled: AnyArray) -> Any:
    """The filled columns in a table of the same kind."""
    columns = {}
    for index, node in enumerate(network.nodes):
        if (codes[:, index] < 0).any():
            columns[str(node)] = object_array(network.states[node])[filled[:, index]]
    if is_frame(data) or is_records(data):
        from deciban.read.frame import with_columns  # noqa: PLC0415  brings pyarrow, which takes long to load

        return with_columns(data, {name: column.tolist() for name, column in columns.items()})
    out = np.array(data, dtype=object)
    for node, index in match_indices(out.shape[1], network.nodes).items():
        if str(node) in columns:
            out[:, index] = columns[str(node)]
    return out


def _complete(network: Network, rows: Codes) -> Floats:
    """log P of rows without a missing value: Σ log P(node | parents)."""
    logs = np.zeros(len(rows))
    with np.errstate(divide="ignore"):
        for table, axes in zip(network.factors, network.families, strict=True):
            logs += np.log(table[tuple(rows[:, axis] for axis in axes)])
    return logs


def _engine(network: Network, rows: Codes) -> CliqueTree | SlicedElimination:
    return engine_for(network, (seen.tolist() for _, seen in patterns_of(rows >= 0)))


def _posteriors(network: Network, rows: Codes, index: int) -> Floats:
    groups = [_Needed.of(network, group, index) for group in groups_of(rows)]
    if len(groups) > _PATTERNS or not all(fits(needed.laid.peak) for needed in groups):
        return _engine(network, rows).marginals(rows)[1][:, network._spans[index]].copy()  # not all beliefs with it
    out = np.zeros((len(rows), network.cards[index]))
    for needed in groups:
        for part, beliefs in needed.posteriors(network):
            out[part] = beliefs
    return out


class _Needed(NamedTuple):
    """Rows in which the same nodes are observed, the nodes that P(one node | row) needs, and their order."""

    group: Group
    nodes: int
    laid: Plan

    @classmethod
    def of(cls, network: Network, group: Group, index: int) -> _Needed:
        nodes = needed_nodes(network, mask_of(group.seen) | 1 << index)
        seen = {node: observed[:1] for node, observed in group.seen.items()}  # scopes do not depend on the codes
        scopes = [factor.scope for factor in factors_of(network, nodes, seen)]
        return cls(group, nodes, plan(scopes, network.cards, {node for scope in scopes for node in scope} - {index}))

    def posteriors(self, network: Network) -> Iterator[tuple[Ints, Floats]]:
        """Eliminate all but one node, for all rows at once, or as many as memory allows."""
        step = max(ROW_CELLS // self.laid.peak, 1)
        for start in range(0, len(self.group.rows), step):
            part = slice(start, start + step)
            seen = {node: observed[part] for node, observed in self.group.seen.items()}
            # A factor that is a number cancels in the posterior, except for 0, by which the row is impossible.
            factors = [
                factor for factor in factors_of(network, self.nodes, seen) if factor.scope or not factor.table.all()
            ]
            table = eliminate(factors, self.laid.order, keep=()).rest.table
            total = table.sum(axis=1, keepdims=True)
            yield self.group.rows[part], np.divide(table, total, out=np.zeros_like(table), where=total > 0)


def _refuse_row(network: Network, codes: Codes, row: int) -> None:
    known = {int(index): int(codes[row, index]) for index in np.flatnonzero(codes[row] >= 0)}
    try:  # raises, in every case: with the number of the row in front of its message
        refuse_impossible(network, Findings(known))
    except ImpossibleEvidenceError as error:
        raise ImpossibleEvidenceError(f"row {row}: {error}") from None


@dataclass(frozen=True)
class Difference:
    """The frequency of a state in the rows, and its probability in the net."""

    node: Node
    state: State
    frequency: float
    probability: float

    @property
    def difference(self) -> float:
        """Frequency less probability."""
        return self.frequency - self.probability


@dataclass(frozen=True)
class Assessment:
    """A net beside rows, of which `missing` is the share of values that are missing in the columns of the nodes.

    `bits` are the mean of the rows that are possible under the net, `bits_alone` that of a net without arrows that has
    the frequencies of the same rows; `impossible` rows are counted. `differences` begin with the largest.
    """

    rows: int
    missing: float
    bits: float
    bits_alone: float
    impossible: int
    differences: tuple[Difference, ...]


def assess(network: Network, data: Any, marginals: Mapping[Node, Distribution]) -> Assessment:
    """Compare a net, whose marginals are given, with the rows of a table; other columns are ignored."""
    nodes = network.nodes
    rows = read_rows(data, nodes, missing="skip", choices=("skip",), may_lack=nodes)
    codes = _coded(network, rows)
    logs = log_likelihoods(network, codes)
    is_possible = np.isfinite(logs)
    known = [index for index, node in enumerate(nodes) if node not in rows.absent]
    alone, differences = 0.0, []
    for index in known:
        column = codes[:, index]
        counts = np.bincount(column[column >= 0], minlength=network.cards[index])
        frequencies = Distribution(nodes[index], network.states[nodes[index]], counts / max(counts.sum(), 1))
        # Of all rows, also those where the value is missing: they need no bits for it, and so do those of the net.
        alone += frequencies.entropy * counts.sum() / len(rows)
        expected = marginals[nodes[index]]
        differences += [Difference(nodes[index], state, frequencies[state], expected[state]) for state in expected]
    return Assessment(
        rows=len(rows),
        missing=float((codes[:, known] < 0).mean()),
        bits=float(bits_from_nats(-logs[is_possible].mean())) if is_possible.any() else float("inf"),
        bits_alone=alone,
        impossible=int((~is_possible).sum()),
        differences=tuple(largest_first(differences, lambda one: abs(one.difference))),
    )
