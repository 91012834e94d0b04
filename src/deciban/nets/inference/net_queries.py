"""What a net answers, of categories or with numbers among them, by the same names: to questions and for rows.

``BayesNet`` calls these, so that none of its methods asks which of the two it has. The rows of a table are cases:
observed values are evidence, missing values are summed out, integrated out or filled in. A category is filled in by its
most probable state given the rest of its row, alone or together with the other missing categories, a number by its
mean. Equal rows are computed once.

How well a net describes rows is their mean information content,

    bits = −(1/n) Σ log₂ P(row),

what a row needs on average in the best code for the net, its log loss. The net without arrows whose probabilities are
the frequencies of the same rows needs Σ H(node) bits: what the arrows explain is the difference.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, get_args

import numpy as np

from deciban.errors import ImpossibleEvidenceError, InputError, ParameterError
from deciban.nets.data.grouping import Group, distinct_rows, groups_of, patterns_of
from deciban.nets.data.node_rows import Rows, match_indices, read_rows
from deciban.nets.data.samples import code_rows, number_rows
from deciban.nets.graphs.bits import mask_of
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.clique_tree import CliqueTree
from deciban.nets.inference.distribution import Completion, Distribution
from deciban.nets.inference.elimination import ROW_CELLS, Cost, Plan, SlicedElimination, eliminate, fits, plan
from deciban.nets.inference.evidence import Findings, Likelihoods, MixedFindings, Targets, read_findings
from deciban.nets.inference.mixed_queries import MixedQueries
from deciban.nets.inference.net_explanation import NetExplanation, explain_mixed_query, explain_query
from deciban.nets.inference.queries import (
    cost_of,
    distributions,
    engine_for,
    factors_of,
    is_independent,
    joint,
    log_probability,
    most_probable_explanation,
    most_probable_states,
    needed_nodes,
    posterior,
    refuse_impossible,
)
from deciban.nets.inference.sensitivity import StateQuery
from deciban.nets.mixed_network import MixedNetwork
from deciban.nets.network import Evidence, Network, State
from deciban.read import Variable, is_frame, is_records, object_array
from deciban.ties import TIE, largest_first
from deciban.types import AnyArray, Codes, Floats, Ints
from deciban.units import bits_from_nats

__all__ = [
    "Assessment",
    "Fill",
    "Impossible",
    "MixedRowQueries",
    "NetQueries",
    "TableQueries",
    "assess",
    "fill_in",
    "log_likelihoods",
    "posteriors",
    "read_cases",
    "read_mixed_cases",
]


class NetQueries(Protocol):
    """What answers for a net; `findings` are what its own ``read`` gives, and answers are those of its kind."""

    def read(self, evidence: Evidence | None, likelihoods: Likelihoods | None = None) -> Any: ...
    def posterior(self, targets: Targets, findings: Any) -> Any: ...
    def distributions(self, findings: Any) -> Any: ...
    def log_probability(self, findings: Any) -> float: ...
    def most_probable_explanation(self, findings: Any) -> Completion: ...
    def most_probable_states(self, targets: Targets, findings: Any) -> Completion: ...
    def cost_of(self, targets: Targets | None, findings: Any) -> Cost: ...
    def is_independent(self, x: Targets, y: Targets, given: Targets = ()) -> bool: ...
    def explain(self, query: StateQuery | Node, findings: Any) -> NetExplanation: ...
    def row_logs(self, data: Any) -> Floats: ...
    def row_posteriors(self, data: Any, target: Node, impossible: Impossible) -> Floats: ...
    def predicted(self, data: Any, target: Node, impossible: Impossible) -> AnyArray: ...
    def filled(self, data: Any, method: Fill) -> Any: ...


class TableQueries:
    """The answers of a net of categories.

    Parameters
    ----------
    network : Network
        The net.
    """

    def __init__(self, network: Network) -> None:
        self.network = network

    def read(self, evidence: Evidence | None, likelihoods: Likelihoods | None = None) -> Findings:
        """Evidence and likelihoods, with the indices of nodes and states."""
        return read_findings(self.network, evidence, likelihoods)

    def posterior(self, targets: Targets, findings: Findings) -> Any:
        """P(targets | e): of one node, or the joint distribution of several."""
        return posterior(self.network, targets, findings)

    def distributions(self, findings: Findings) -> dict[Node, Distribution]:
        """P(node | e) for every node."""
        return distributions(self.network, findings)

    def log_probability(self, findings: Findings) -> float:
        """log P(e); −∞ if the evidence is impossible."""
        return log_probability(self.network, findings)

    def most_probable_explanation(self, findings: Findings) -> Completion:
        """argmax P(all other nodes, e)."""
        return most_probable_explanation(self.network, findings)

    def most_probable_states(self, targets: Targets, findings: Findings) -> Completion:
        """argmax P(targets, e); all other nodes are summed out."""
        return most_probable_states(self.network, targets, findings)

    def cost_of(self, targets: Targets | None, findings: Findings) -> Cost:
        """The memory and time of a query; of all marginals if there are no targets."""
        return cost_of(self.network, targets, findings)

    def explain(self, query: StateQuery | Node, findings: Findings) -> NetExplanation:
        """The weight of each finding in the log-odds of a state."""
        return explain_query(self.network, query, findings)

    def is_independent(self, x: Targets, y: Targets, given: Targets = ()) -> bool:
        """Whether x ⊥ y | given, up to rounding."""
        return is_independent(self.network, x, y, given)

    def row_logs(self, data: Any) -> Floats:
        """log P of each row of a table; missing values are summed out."""
        return log_likelihoods(self.network, read_cases(self.network, data))

    def row_posteriors(self, data: Any, target: Node, impossible: Impossible) -> Floats:
        """P(target | the rest of the row), rows × states."""
        codes = read_cases(self.network, data, without=target)
        return posteriors(self.network, codes, self.network.dag.index(target), impossible)

    def predicted(self, data: Any, target: Node, impossible: Impossible) -> AnyArray:
        """The most probable state of the target in each row."""
        probabilities = self.row_posteriors(data, target, impossible)
        return object_array(self.network.states[target])[probabilities.argmax(axis=1)]

    def filled(self, data: Any, method: Fill) -> Any:
        """The data with every missing value filled in."""
        return fill_in(self.network, data, method)


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
    _check_impossible(impossible)
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
    _check_method(method)
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
    columns = {
        node: object_array(network.states[node])[filled[which, index]].tolist()
        for index, node in enumerate(network.nodes)
        if (codes[:, index] < 0).any()
    }
    return _written(network, data, columns)


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


def read_mixed_cases(network: MixedNetwork, data: Any, *, without: Node | None = None) -> tuple[Codes, Floats]:
    """Codes, rows × categories, −1 where missing; and numbers, rows × numbers, NaN where missing.

    A column of the node ``without`` is not looked at; a column that is not a node is an error.
    """
    nodes = network.nodes
    rows = read_rows(data, nodes, missing="skip", choices=("skip",), may_lack=nodes, only_nodes=True)
    fixed = {node: Variable.of_states(node, states, "fixed") for node, states in network.states.items()}
    ignored = () if without is None else (without,)
    codes = code_rows(rows, network.categories, fixed=fixed, ignored=ignored, dtype=np.int32).codes
    columns = {
        node: column.as_numbers()
        for node, column in rows.columns.items()
        if node not in network.states and node != without
    }
    values = np.full((len(rows), len(network.numbers)), np.nan)
    for index, node in enumerate(network.numbers):
        if node in columns:
            part = type(rows)({node: columns[node]})
            values[:, index] = number_rows(part, [node], labels="", is_part=True).values[:, 0]
    return np.ascontiguousarray(codes.T), values


class MixedRowQueries(MixedQueries):
    """The answers of a net with numbers, also those for the rows of a table."""

    def explain(self, query: StateQuery | Node, findings: MixedFindings) -> NetExplanation:
        """The weight of each finding in the log-odds of a state of a category."""
        return explain_mixed_query(self, query, findings)

    def row_logs(self, data: Any) -> Floats:
        """log density of each row of a table; missing values are summed and integrated out."""
        return self.log_likelihoods(*read_mixed_cases(self.network, data))

    def row_posteriors(self, data: Any, target: Node, impossible: Impossible) -> Floats:
        """P(target | the rest of the row), rows × states; the target is a category."""
        if self.network.is_number(target):
            raise InputError(
                f"{target!r} is a number, which has no states: predict gives its mean given the rest of the row, and "
                "query its distribution."
            )
        return self._row_answers(data, target, impossible)

    def predicted(self, data: Any, target: Node, impossible: Impossible) -> AnyArray:
        """The most probable state of a category, or the mean of a number, given the rest of each row."""
        if self.network.is_number(target):
            return self._row_answers(data, target, impossible)[:, 0]
        probabilities = self.row_posteriors(data, target, impossible)
        return object_array(self.network.states[target])[probabilities.argmax(axis=1)]

    def filled(self, data: Any, method: Fill) -> Any:
        """The data with every missing value filled in: see ``BayesNet.impute``."""
        _check_method(method)
        network = self.network
        codes, values = read_mixed_cases(network, data)
        is_impossible = np.isneginf(self.log_likelihoods(codes, values))
        if is_impossible.any():
            self._refuse_row(codes, values, int(np.argmax(is_impossible)))
        filled, numbers = self.best_states(codes, values)[0] if method == "mpe" else codes.copy(), values.copy()
        for column, node in enumerate(network.categories):
            rows = np.flatnonzero(filled[:, column] < 0)
            if len(rows):
                found = self.posteriors(codes[rows], values[rows], node)
                # Within rounding: equal probabilities must give the same state everywhere.
                best = (found >= found.max(axis=1, keepdims=True) * (1.0 - TIE)).argmax(axis=1)
                filled[rows, column] = best
        # Given the states that were filled in, so that a row fits together.
        seen = filled if method == "mpe" else codes
        for column, node in enumerate(network.numbers):
            rows = np.flatnonzero(np.isnan(values[:, column]))
            if len(rows):
                numbers[rows, column] = self.posteriors(seen[rows], values[rows], node)[:, 0]
        columns: dict[Node, list[Any]] = {}
        for column, node in enumerate(network.categories):
            if (codes[:, column] < 0).any():
                columns[node] = object_array(network.states[node])[filled[:, column]].tolist()
        for column, node in enumerate(network.numbers):
            if np.isnan(values[:, column]).any():
                columns[node] = numbers[:, column].tolist()
        return _written(network, data, columns)

    def _row_answers(self, data: Any, target: Node, impossible: Impossible) -> Floats:
        _check_impossible(impossible)
        codes, values = read_mixed_cases(self.network, data, without=target)
        return self.posteriors(codes, values, target, impossible=impossible)

    def _refuse_row(self, codes: Codes, values: Floats, row: int) -> None:
        seen = {k: int(code) for k, code in zip(sorted(self.tree.categories), codes[row], strict=True) if code >= 0}
        known = zip(sorted(self.tree.numbers), values[row], strict=True)
        findings = MixedFindings(seen, {}, {k: float(value) for k, value in known if not np.isnan(value)})
        self.refuse_impossible(findings, f"row {row}: ")


def _check_impossible(impossible: Impossible) -> None:
    if impossible not in get_args(Impossible):
        raise ParameterError(f'impossible is "error" or "prior", not {impossible!r}')


def _check_method(method: Fill) -> None:
    if method not in get_args(Fill):
        raise ParameterError(f'method is "mpe" or "marginals", not {method!r}')


def _written(network: Network | MixedNetwork, data: Any, columns: Mapping[Node, list[Any]]) -> Any:
    """The filled columns in a table of the same kind."""
    if is_frame(data) or is_records(data):
        from deciban.read.frame import with_columns  # noqa: PLC0415  brings pyarrow, which takes long to load

        return with_columns(data, {str(node): column for node, column in columns.items()})
    out = np.array(data, dtype=object)
    for node, index in match_indices(out.shape[1], network.nodes).items():
        if node in columns:
            out[:, index] = columns[node]
    return out
