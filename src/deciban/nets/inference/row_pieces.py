"""Rows of a table as cases of a mixed net, in pieces: what is missing at different ends of a row is summed separately.

    log p(row) = Σ_complete families log p(node | parents) + Σ_pieces log Σ_missing Π p(node | parents)

A *piece* is a set of missing nodes that families connect with one another. The families in which nothing is missing are
factors that are looked up, for all rows at once. Given what is observed, pieces are independent. A table with values
missing at random has nearly as many patterns of missing nodes as rows, but few different pieces, each of which is
computed once for all rows that have it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.elimination import Factor, summed_to
from deciban.nets.inference.strong_tree import Cases, Component, Hidden, Pattern, StrongTree
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["ExpectedStatistics", "FamilyMoments", "RowPieces", "belief"]


class FamilyMoments(NamedTuple):
    """Expected moments of a number and its numeric parents for each configuration of its categorical parents.

    ``weight`` has an axis for each categorical parent, ``mean`` a last one for the numeric parents in order and the
    number itself, ``scatter`` two of them: Σ w·(z − mean)·(z − mean)ᵀ.
    """

    weight: Floats
    mean: Floats
    scatter: Floats


class ExpectedStatistics(NamedTuple):
    """What EM needs of rows with missing values: expected counts of tables, moments of regressions, log-likelihood."""

    tables: dict[Node, Floats]
    moments: dict[Node, FamilyMoments]
    log_likelihood: float


class RowPieces:
    """Rows of a table with their missing values in pieces.

    Parameters
    ----------
    tree : StrongTree
        The compiled network.
    codes : array
        Rows × categories, −1 where a value is missing.
    values : array
        Rows × numbers, NaN where a value is missing.
    """

    def __init__(self, tree: StrongTree, codes: AnyArray, values: Floats) -> None:
        self.tree = tree
        self.rows = len(codes)
        self.codes = {node: codes[:, at].astype(np.int64) for at, node in enumerate(sorted(tree.categories))}
        self.values = {node: values[:, at] for at, node in enumerate(sorted(tree.numbers))}
        self.is_known = {node: codes >= 0 for node, codes in self.codes.items()}
        self.is_known |= {node: ~np.isnan(values) for node, values in self.values.items()}

    def log_likelihoods(self) -> Floats:
        """log p(row) of each row, −∞ where a row is impossible."""
        out = self._complete_logs()
        for hidden, rows in self._pieces():
            for part, pattern, cases in self._batches(hidden, 0, rows):
                out[part] += pattern.log_total(cases)
        return out

    def posteriors(self, target: int) -> tuple[AnyArray, Floats]:
        """Which rows are impossible; and P(category | row), rows × states, or mean and variance, rows × 2."""
        tree = self.tree
        is_number = target in tree.numbers
        out = np.zeros((self.rows, 2 if is_number else tree.cards[target]))
        is_impossible = np.isneginf(self.log_likelihoods()) if tree.may_vanish else np.zeros(self.rows, dtype=bool)
        for hidden, rows in self._pieces(target):
            for part, pattern, cases in self._batches(hidden, 1 << target, rows):
                axes = pattern.component_of[target].axes if is_number else (target,)
                logs, weights = pattern.joint(cases, axes)
                out[part] = _moments(pattern.component_of[target], cases, target, weights) if is_number else weights
                is_impossible[part] |= np.isneginf(logs)
        return is_impossible, out

    def best_states(self) -> tuple[Codes, Floats]:
        """The codes with the most probable joint states of each row's missing categories, and log p of these."""
        categories = sorted(self.tree.categories)
        filled = np.column_stack([np.zeros((self.rows, 0)), *self.codes.values()]).astype(np.int32)
        logs = self._complete_logs()
        for hidden, rows in self._pieces():
            targets = [node for node in bits(hidden) if node in self.tree.categories]
            wanted = sum(1 << node for node in targets)
            for part, pattern, cases in self._batches(hidden, wanted, rows):
                best, chosen = pattern.best(cases, targets)
                logs[part] += best
                for node in targets:
                    filled[part, categories.index(node)] = chosen[node]
        return filled, logs

    def expected_statistics(self, sample_weight: Floats) -> ExpectedStatistics:
        """The expected counts and moments of all families, and Σ weight·log p(row); weights of 0 are ignored."""
        sums = _Sums(self.tree)
        logs = self._complete_logs()
        weight = sample_weight
        if self.tree.may_vanish:
            weight = np.where(np.isneginf(self.log_likelihoods()), 0.0, weight)
        for node, family in self._families.items():
            rows = self._complete(family)
            if len(rows):
                sums.add_complete(node, self._cases(family, rows), weight[rows])
        for hidden, rows in self._pieces():
            for part, pattern, cases in self._batches(hidden, hidden, rows):
                logs[part] += sums.add(pattern, cases, weight[part])
        counted = sample_weight > 0
        names = self.tree.network.nodes
        return ExpectedStatistics(
            {names[node]: counts for node, counts in sums.tables.items()},
            {names[node]: moments for node, moments in sums.moments.items()},
            float(sample_weight[counted] @ logs[counted]),
        )

    @cached_property
    def _families(self) -> dict[int, tuple[int, ...]]:
        return {node: (*bits(self.tree.parent_masks[node]), node) for node in range(len(self.tree.parent_masks))}

    def _complete(self, family: Sequence[int]) -> Ints:
        """The rows in which nothing of a family is missing."""
        return np.flatnonzero(np.logical_and.reduce([self.is_known[node] for node in family]))

    def family_logs(self) -> Iterator[tuple[int, Ints, Floats]]:
        """Each node, the rows in which nothing of its family is missing, and log p(node | parents) there."""
        for node, family in self._families.items():
            rows = self._complete(family)
            if len(rows):
                yield node, rows, self.tree.log_density(node, self._cases(family, rows))

    def _complete_logs(self) -> Floats:
        """Σ log p(node | parents) of the families in which nothing is missing."""
        out = np.zeros(self.rows)
        for _, rows, logs in self.family_logs():
            out[rows] += logs
        return out

    def _cases(self, nodes: Sequence[int], rows: Ints) -> Cases:
        """The observed values of some nodes in some rows."""
        codes = {node: self.codes[node][rows] for node in nodes if node in self.codes}
        return Cases(codes, {node: self.values[node][rows] for node in nodes if node in self.values}, {}, len(rows))

    def _batches(self, hidden: int, wanted: int, rows: Ints) -> Iterator[tuple[Ints, Pattern, Cases]]:
        """The rows of a piece, as many at a time as memory allows; none if the piece says nothing."""
        pattern = self.tree.piece(hidden, wanted)
        if not pattern.nodes:
            return
        for step in pattern.steps_of(len(rows)):
            yield rows[step], pattern, self._cases((*pattern.codes, *pattern.values), rows[step])

    def _pieces(self, target: int | None = None) -> Iterator[tuple[int, Ints]]:
        """Each piece, as a mask of missing nodes, and the rows that have it; or only the pieces that hold a target."""
        missing = [0] * self.rows
        for node, is_known in self.is_known.items():
            for row in np.flatnonzero(~is_known).tolist():
                missing[row] |= 1 << node
        split: dict[int, tuple[int, ...]] = {}
        found: dict[int, list[int]] = {}
        for row, mask in enumerate(missing):
            if mask not in split:
                split[mask] = tuple(self._split(mask, target))
            for piece in split[mask]:
                found.setdefault(piece, []).append(row)
        for piece, rows in found.items():
            yield piece, np.array(rows)

    def _split(self, missing: int, target: int | None) -> Iterator[int]:
        """Missing nodes as the sets that families connect."""
        beside = self.tree.beside
        left = missing
        while left:
            piece = left & -left if target is None else 1 << target
            grown = piece
            while grown:
                near = 0
                for node in bits(grown):
                    near |= beside[node]
                grown = near & missing & ~piece
                piece |= grown
            yield piece
            left = 0 if target is not None else left & ~piece


class _Sums:
    """Expected counts and moments, added up over batches of rows."""

    def __init__(self, tree: StrongTree) -> None:
        self.tree = tree
        self.tables = {node: np.zeros(logs.shape) for node, logs in tree.logs.items()}
        self.moments: dict[int, FamilyMoments] = {}
        for index, own in tree.regressions.items():
            shape, size = own.intercepts.shape, len(own.numbers) + 1
            self.moments[index] = FamilyMoments(
                np.zeros(shape), np.zeros((*shape, size)), np.zeros((*shape, size, size))
            )

    def add_complete(self, node: int, cases: Cases, weight: Floats) -> None:
        """Add rows in which nothing of the family of a node is missing."""
        if node in self.tables:
            table = self.tables[node]
            table += np.bincount(self.tree.flat_entry(node, cases), weight, table.size).reshape(table.shape)
            return
        own = self.tree.regressions[node]
        flat = np.zeros(cases.rows, dtype=np.int64)
        if own.categories:
            flat = np.ravel_multi_index(tuple(cases.codes[axis] for axis in own.categories), own.intercepts.shape)
        means = np.column_stack([cases.values[number] for number in (*own.numbers, node)])
        self._merge(node, flat, weight, means, None)

    def add(self, pattern: Pattern, cases: Cases, weight: Floats) -> Floats:
        """Add rows with the same piece missing, and give its log density in each."""
        logs, beliefs = pattern.marginals(cases)
        weight = np.where(np.isneginf(logs), 0.0, weight)
        for node, _, family in pattern.tables:
            self._add_counts(pattern, cases, weight, beliefs, node, family)
        for component in pattern.components:
            shares = belief(pattern, beliefs, component.axes, cases.rows)
            hidden = component.posterior(cases, component.hidden) if component.hidden else None
            for node in (*component.hidden, *component.seen):
                self._add_moments(component, cases, weight, shares, hidden, node)
        return logs

    def _add_counts(
        self,
        pattern: Pattern,
        cases: Cases,
        weight: Floats,
        beliefs: Mapping[int, Factor],
        node: int,
        family: Sequence[int],
    ) -> None:
        free = [axis for axis in family if pattern.is_axis(axis)]
        shares = belief(pattern, beliefs, sorted(free), cases.rows) * weight.reshape(-1, *(1 for _ in free))
        # An index for each axis of the table: observed ones by row, those of beliefs along their own axes.
        indices = []
        for axis in family:
            if axis in pattern.codes:
                rows = cases.codes[axis]
            elif axis in pattern.values:
                rows = np.searchsorted(self.tree.cuts[node][axis], cases.values[axis], side="left")
            else:
                own = np.arange(pattern.cards[axis])
                if axis in pattern.ends:
                    own = np.searchsorted(self.tree.cuts[node][axis], pattern.ends[axis][0], side="right")
                where = sorted(free).index(axis)
                indices.append(own.reshape(1, *(-1 if at == where else 1 for at in range(len(free)))))
                continue
            indices.append(rows.reshape(-1, *(1 for _ in free)))
        np.add.at(self.tables[node], tuple(np.broadcast_to(index, shares.shape) for index in indices), shares)

    def _add_moments(
        self,
        component: Component,
        cases: Cases,
        weight: Floats,
        shares: Floats,
        hidden: Hidden | None,
        node: int,
    ) -> None:
        own = self.tree.regressions[node]
        numbers = (*own.numbers, node)
        size, axes = len(numbers), component.axes
        shape = (cases.rows, *shares.shape[1:])
        means, covariances = np.empty((*shape, size)), np.zeros((*shape, size, size))
        for at, number in enumerate(numbers):
            if number in component.hidden and hidden is not None:
                means[..., at] = hidden.means[..., component.hidden.index(number)]
            else:
                means[..., at] = cases.values[number].reshape(-1, *(1 for _ in axes))
        free = [at for at, number in enumerate(numbers) if number in component.hidden]
        if free and hidden is not None:
            columns = [component.hidden.index(numbers[at]) for at in free]
            covariances[..., np.array(free)[:, None], free] = hidden.covariances[
                ..., np.array(columns)[:, None], columns
            ]
        # Rows × axes are the elements, each with its configuration of the categorical parents.
        indices = [
            cases.codes[axis].reshape(-1, *(1 for _ in axes))
            if axis in cases.codes
            else np.arange(self.tree.cards[axis]).reshape(1, *(-1 if other == axis else 1 for other in axes))
            for axis in own.categories
        ]
        flat = np.ravel_multi_index(tuple(indices), own.intercepts.shape) if indices else np.zeros(1, dtype=np.int64)
        flat = np.broadcast_to(flat, shape).reshape(-1)
        w = (shares * weight.reshape(-1, *(1 for _ in axes))).reshape(-1)
        self._merge(node, flat, w, means.reshape(-1, size), covariances.reshape(-1, size, size))

    def _merge(self, node: int, flat: Ints, w: Floats, means: Floats, covariances: Floats | None) -> None:
        """Add elements with weights w, each with a configuration, means and covariances of the numbers."""
        shape, size = self.tree.regressions[node].intercepts.shape, means.shape[1]
        count = self.tree.regressions[node].intercepts.size
        total: Floats = np.bincount(flat, w, count).astype(np.float64)
        divisor = np.where(total > 0, total, 1.0)
        # First the means, then deviations from them: sums of squares would cancel.
        centre = np.column_stack([np.bincount(flat, w * means[:, i], count) for i in range(size)]) / divisor[:, None]
        deviations = means - centre[flat]
        scatter = np.empty((count, size, size))
        for i in range(size):
            for j in range(i + 1):
                product = deviations[:, i] * deviations[:, j]
                each = w * (product if covariances is None else covariances[:, i, j] + product)
                scatter[:, i, j] = scatter[:, j, i] = np.bincount(flat, each, count)
        found = FamilyMoments(total.reshape(shape), centre.reshape(*shape, size), scatter.reshape(*shape, size, size))
        self.moments[node] = _merged(self.moments[node], found)


def _merged(one: FamilyMoments, other: FamilyMoments) -> FamilyMoments:
    """The moments of both (Chan, Golub and LeVeque, 1983)."""
    weight = one.weight + other.weight
    share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight > 0)
    apart = other.mean - one.mean
    mean = one.mean + share[..., None] * apart
    between = (one.weight * share)[..., None, None] * apart[..., :, None] * apart[..., None, :]
    return FamilyMoments(weight, mean, one.scatter + other.scatter + between)


def belief(pattern: Pattern, beliefs: Mapping[int, Factor], axes: Sequence[int], rows: int) -> Floats:
    """P(axes | row); the axes are in one product, that of the first of them to be eliminated."""
    if not axes:
        return np.ones(rows)
    rank = {node: at for at, node in enumerate(pattern.plan().order)}
    found = summed_to(beliefs[min(axes, key=rank.__getitem__)], axes)
    return np.broadcast_to(found.table, (rows, *found.table.shape[1:]))


def _moments(component: Component, cases: Cases, index: int, weights: Floats) -> Floats:
    """Mean and variance of a hidden number in each row."""
    hidden = component.posterior(cases, [index])
    rows = cases.rows
    means = np.broadcast_to(hidden.means[..., 0], weights.shape).reshape(rows, -1)
    variances = np.broadcast_to(hidden.covariances[..., 0, 0], weights.shape).reshape(rows, -1)
    wide = weights.reshape(rows, -1)
    mean = (wide * means).sum(axis=1)
    return np.column_stack([mean, (wide * (variances + (means - mean[:, None]) ** 2)).sum(axis=1)])
