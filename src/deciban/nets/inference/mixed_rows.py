"""Rows of a table as cases of a net with numbers: what is missing is summed out, integrated out, or filled in.

A number that is missing is filled by its mean given the rest of its row, and a category by its most probable state,
alone or together with the other missing categories of the row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.errors import InputError, ParameterError
from deciban.nets.data.node_rows import match_indices, read_rows
from deciban.nets.data.samples import code_rows, number_rows
from deciban.nets.graphs.bits import mask_of
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.cases import Fill, Impossible
from deciban.nets.inference.evidence import MixedFindings
from deciban.nets.inference.grouping import patterns_of
from deciban.nets.inference.mixed_queries import MixedQueries
from deciban.nets.inference.net_explanation import NetExplanation, explain_mixed_query
from deciban.nets.inference.sensitivity import StateQuery
from deciban.nets.inference.strong_tree import Cases
from deciban.nets.mixed_network import MixedNetwork
from deciban.read import Variable, is_frame, is_records, object_array
from deciban.ties import TIE
from deciban.types import AnyArray, Codes, Floats

__all__ = ["MixedRowQueries", "read_mixed_cases"]


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
        codes, values = read_mixed_cases(self.network, data, without=target)
        return self.posteriors(codes, values, target, impossible=_checked(impossible))

    def predicted(self, data: Any, target: Node, impossible: Impossible) -> AnyArray:
        """The most probable state of a category, or the mean of a number, given the rest of each row."""
        if self.network.is_number(target):
            codes, values = read_mixed_cases(self.network, data, without=target)
            return self.posteriors(codes, values, target, impossible=_checked(impossible))[:, 0]
        probabilities = self.row_posteriors(data, target, impossible)
        return object_array(self.network.states[target])[probabilities.argmax(axis=1)]

    def filled(self, data: Any, method: Fill) -> Any:
        """The data with every missing value filled in: see ``BayesNet.impute``."""
        if method not in ("mpe", "marginals"):
            raise ParameterError(f'method is "mpe" or "marginals", not {method!r}')
        network = self.network
        codes, values = read_mixed_cases(network, data)
        is_impossible = np.isneginf(self.log_likelihoods(codes, values))
        if is_impossible.any():
            self._refuse_row(codes, values, int(np.argmax(is_impossible)))
        filled, numbers = codes.copy(), values.copy()
        if method == "mpe":
            self._fill_together(codes, values, filled)
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

    def _fill_together(self, codes: Codes, values: Floats, filled: Codes) -> None:
        """The most probable joint states of the missing categories of each row."""
        categories, numbers = sorted(self.tree.categories), sorted(self.tree.numbers)
        for rows, seen in patterns_of(np.concatenate([codes >= 0, ~np.isnan(values)], axis=1)):
            known = set(seen.tolist())
            hidden = [index for column, index in enumerate(categories) if column not in known]
            if not hidden:
                continue
            of_codes = {index: codes[rows, c].astype(np.int64) for c, index in enumerate(categories) if c in known}
            of_values = {index: values[rows, c] for c, index in enumerate(numbers) if c + len(categories) in known}
            pattern = self.tree.pattern(mask_of(hidden), of_codes, of_values)
            _, best = pattern.best(Cases(of_codes, of_values, {}, len(rows)), hidden)
            for index in hidden:
                filled[rows, categories.index(index)] = best[index]

    def _refuse_row(self, codes: Codes, values: Floats, row: int) -> None:
        seen = {k: int(code) for k, code in zip(sorted(self.tree.categories), codes[row], strict=True) if code >= 0}
        known = zip(sorted(self.tree.numbers), values[row], strict=True)
        findings = MixedFindings(seen, {}, {k: float(value) for k, value in known if not np.isnan(value)})
        self.refuse_impossible(findings, f"row {row}: ")


def _checked(impossible: Impossible) -> Impossible:
    if impossible not in ("error", "prior"):
        raise ParameterError(f'impossible is "error" or "prior", not {impossible!r}')
    return impossible


def _written(network: MixedNetwork, data: Any, columns: dict[Node, list[Any]]) -> Any:
    """The filled columns in a table of the same kind."""
    if is_frame(data) or is_records(data):
        from deciban.read.frame import with_columns  # noqa: PLC0415  brings pyarrow, which takes long to load

        return with_columns(data, {str(node): column for node, column in columns.items()})
    out = np.array(data, dtype=object)
    for node, index in match_indices(out.shape[1], network.nodes).items():
        if node in columns:
            out[:, index] = columns[node]
    return out
