"""Queries of a net of categories and numbers, all of them exact: single ones, and for the rows of a table.

    P(targets | e) = Σ Π P(category | parents) · Π p(number | parents) / p(e)

Categories have distributions; a number has a normal one, or a mixture of them with a component for each configuration
of the categories that its distribution depends on (``strong_tree``). Evidence on numbers has a density, so p(e) is a
probability only where all evidence is on categories or on intervals.

Means and variances are exact. So is the shape, with one exception: where numbers in intervals, by evidence or because
categories depend on their bins, nearly determine another number, the components of the latter are normals with the mean
and variance of the exact ones. Beyond ``COMPONENTS`` components are merged, and the answer says by how much that may
change it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Literal, TypeAlias

import numpy as np

from deciban.errors import ImpossibleEvidenceError, ParameterError, TooLargeError
from deciban.nets.graphs.bits import bits, mask_of
from deciban.nets.graphs.graph import Node
from deciban.nets.graphs.separation import d_separated, separation_masks
from deciban.nets.inference.distribution import Completion, Distribution, JointDistribution
from deciban.nets.inference.elimination import Cost, summed_to
from deciban.nets.inference.evidence import (
    Likelihoods,
    MixedFindings,
    Targets,
    node_indices,
    read_mixed_findings,
)
from deciban.nets.inference.grouping import patterns_of
from deciban.nets.inference.mixture import COMPONENTS, MixedDistribution, Mixture, MultivariateMixture
from deciban.nets.inference.normal import MultivariateNormal, Normal
from deciban.nets.inference.row_pieces import ExpectedStatistics, RowPieces, belief
from deciban.nets.inference.strong_tree import Cases, Component, Pattern, StrongTree, strong_tree
from deciban.nets.mixed_network import MixedNetwork
from deciban.nets.network import Evidence
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["Answer", "MixedQueries"]

Answer: TypeAlias = (
    Distribution | JointDistribution | Normal | Mixture | MultivariateNormal | MultivariateMixture | MixedDistribution
)

_WHOLE = 1 << 16
"""Up to so many entries all marginals are computed in one pass; otherwise each number is asked for by itself."""

_POINTS, _NOTHING = 1024, 1e-15
"""The most components that stand for an integral, and the share of the largest below which one is left out."""

_RELATIVE, _ABSOLUTE = 1e-9, 1e-15
"""Rounding errors of products of two probabilities, which an independence allows."""


class MixedQueries:
    """The answers of a mixed network; it may be made for each query, since the network keeps what was compiled.

    Parameters
    ----------
    network : MixedNetwork
        The net.
    """

    def __init__(self, network: MixedNetwork) -> None:
        self.network = network

    @property
    def tree(self) -> StrongTree:
        """The compiled network."""
        return strong_tree(self.network)

    def read(self, evidence: Evidence | None, likelihoods: Likelihoods | None = None) -> MixedFindings:
        """Evidence with the indices of nodes: states, numbers, intervals of numbers, and likelihoods of states."""
        return read_mixed_findings(self.network, evidence, likelihoods)

    def posterior(self, targets: Targets, findings: MixedFindings) -> Answer:
        """P(targets | e): of one node, or the joint distribution of several."""
        indices, is_one = self._unobserved(targets, findings)
        pattern, cases = self._pattern(mask_of(indices), findings)
        numbers = [index for index in indices if index in self.tree.numbers]
        categories = [index for index in indices if index not in self.tree.numbers]
        if not numbers:
            table = self._joint(pattern, cases, categories, findings)
            if is_one:
                return self._distribution(categories[0], table)
            return self._table(categories, table)
        if is_one:
            return self._number(numbers[0], findings)
        return self._joint_answer(pattern, cases, categories, numbers, findings)

    def distributions(self, findings: MixedFindings) -> dict[Node, Distribution | Normal | Mixture]:
        """P(node | e) for every node."""
        network, tree = self.network, self.tree
        pattern, cases = self._pattern((1 << len(network.nodes)) - 1, findings)
        is_whole = pattern.cost().largest <= _WHOLE
        if not is_whole:  # without the numbers that only they themselves need
            pattern, cases = self._pattern(mask_of(tree.categories), findings)
        log_p, beliefs = pattern.marginals(cases)
        if np.isneginf(log_p[0]):
            self.refuse_impossible(findings)
        out: dict[Node, Distribution | Normal | Mixture] = {}
        for index, node in enumerate(network.nodes):
            if index in findings.codes:
                table = np.zeros(tree.cards[index])
                table[findings.codes[index]] = 1.0
                out[node] = self._distribution(index, table)
            elif index in findings.values:
                out[node] = Normal(findings.values[index], 0.0)
            elif index in tree.categories:
                out[node] = self._distribution(index, summed_to(beliefs[index], [index]).table[0])
            elif index in pattern.component_of and len(pattern.component_of[index].binned) < 2:
                component = pattern.component_of[index]
                out[node] = _number(component, cases, index, belief(pattern, beliefs, component.axes, 1))
            else:
                out[node] = self._number(index, findings)
        return out

    def log_probability(self, findings: MixedFindings) -> float:
        """log p(e), a density if numbers are observed; −∞ if the evidence is impossible."""
        pattern, cases = self._pattern(0, findings)
        return float(pattern.log_total(cases)[0])

    def most_probable_explanation(self, findings: MixedFindings) -> Completion:
        """argmax P(all categories that are not observed, e); numbers that are not observed are integrated out."""
        free = [index for index in sorted(self.tree.categories) if index not in findings.codes]
        return self._best(free, findings, has_observed=True)

    def most_probable_states(self, targets: Targets, findings: MixedFindings) -> Completion:
        """argmax P(targets, e) of categories; all other nodes are summed or integrated out."""
        indices, _ = self._unobserved(targets, findings)
        for index in indices:
            if index in self.tree.numbers:
                raise ParameterError(
                    f"{self.network.nodes[index]!r} is a number, which has no most probable state: ask for its mean "
                    "or density by query"
                )
        return self._best(indices, findings, has_observed=False)

    def cost_of(self, targets: Targets | None, findings: MixedFindings) -> Cost:
        """The memory and time of a query; of all marginals if there are no targets."""
        if targets is None:
            return self._pattern((1 << len(self.network.nodes)) - 1, findings)[0].cost()
        indices, _ = self._unobserved(targets, findings)
        pattern, _ = self._pattern(mask_of(indices), findings)
        return pattern.cost(_axes_of(pattern, indices))

    def is_independent(self, x: Targets, y: Targets, given: Targets = ()) -> bool:
        """Whether x ⊥ y | given, up to rounding.

        Of categories it is read from the graph or else from the probabilities; where one of the nodes is a number, from
        the graph alone.
        """
        if d_separated(self.network.dag, x, y, given):
            return True
        xs, ys, zs = (list(bits(mask)) for mask in separation_masks(self.network.dag, x, y, given))
        if any(index in self.tree.numbers for index in (*xs, *ys, *zs)):
            return False
        indices = [*zs, *xs, *ys]
        pattern, cases = self._pattern(mask_of(indices), MixedFindings())
        table = self._joint(pattern, cases, indices, MixedFindings())
        zxy = table.reshape(*(prod(self.tree.cards[index] for index in part) for part in (zs, xs, ys)))
        zx, zy = zxy.sum(axis=2, keepdims=True), zxy.sum(axis=1, keepdims=True)
        z = zxy.sum(axis=(1, 2), keepdims=True)
        return bool(np.isclose(zxy * z, zx * zy, rtol=_RELATIVE, atol=_ABSOLUTE).all())

    def refuse_impossible(self, findings: MixedFindings, where: str = "") -> None:
        """Raise an error for p(e) = 0 that names a minimal set of findings that contradict each other."""
        contradiction = findings
        for index in [*findings.codes, *findings.likelihoods, *findings.values, *findings.bounds]:
            fewer = contradiction.without([index])
            if np.isneginf(self.log_probability(fewer)):
                contradiction = fewer
        names = contradiction.in_words(self.network)
        one = contradiction
        several = len(one.codes) + len(one.likelihoods) + len(one.values) + len(one.bounds) > 1
        why = f"{names} cannot be true together" if several else f"{names} cannot be true"
        raise ImpossibleEvidenceError(f"{where}P(e) = 0, the evidence is impossible: {why} in this net")

    def log_likelihoods(self, codes: AnyArray, values: Floats) -> Floats:
        """log p(row) of each row, missing values summed and integrated out; −∞ where a row is impossible.

        ``codes`` are rows × categories, −1 where a value is missing; ``values`` rows × numbers, NaN where missing.
        """
        return RowPieces(self.tree, codes, values).log_likelihoods()

    def posteriors(
        self, codes: AnyArray, values: Floats, target: Node, *, impossible: Literal["error", "prior"] = "error"
    ) -> Floats:
        """P(category | the rest of the row), rows × states; of a number its mean and variance, rows × 2."""
        index = self.network.dag.index(target)
        is_number = index in self.tree.numbers
        codes, values = codes.copy(), values.copy()
        (values if is_number else codes)[:, self._column(index)] = np.nan if is_number else -1
        is_impossible, found = RowPieces(self.tree, codes, values).posteriors(index)
        if is_impossible.any():
            if impossible == "error":
                row = int(np.argmax(is_impossible))
                self.refuse_impossible(self._findings_of(codes[row], values[row]), f"row {row}: ")
            found[is_impossible] = self._prior(index)
        return found

    def best_states(self, codes: AnyArray, values: Floats) -> tuple[Codes, Floats]:
        """The codes with the most probable joint states of the missing categories of each row, and log p of these."""
        return RowPieces(self.tree, codes, values).best_states()

    def expected_statistics(
        self, codes: AnyArray, values: Floats, sample_weight: Floats | None = None
    ) -> ExpectedStatistics:
        """The expected counts and moments of all families, given rows with missing values.

        ``codes`` are rows × categories, −1 where a value is missing; ``values`` rows × numbers, NaN where missing. A
        row that is impossible adds nothing and makes the log-likelihood −∞.
        """
        weight = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return RowPieces(self.tree, codes, values).expected_statistics(weight)

    def _prior(self, index: int) -> Floats:
        nothing = MixedFindings()
        if index in self.tree.numbers:
            answer = self._number(index, nothing)
            return np.array([answer.mean, answer.variance])
        return self._joint(*self._pattern(1 << index, nothing), [index], nothing)

    def _column(self, index: int) -> int:
        """The column of a node among those of its kind."""
        kind = self.tree.numbers if index in self.tree.numbers else self.tree.categories
        return sorted(kind).index(index)

    def _findings_of(self, codes: AnyArray, values: Floats) -> MixedFindings:
        seen = {index: int(code) for index, code in zip(sorted(self.tree.categories), codes, strict=True) if code >= 0}
        known = zip(sorted(self.tree.numbers), values, strict=True)
        return MixedFindings(seen, {}, {index: float(value) for index, value in known if not np.isnan(value)})

    def _batches(self, codes: AnyArray, values: Floats, wanted: int) -> Iterator[tuple[Ints, Pattern, Cases]]:
        """The rows by which nodes are observed, as many at a time as memory allows."""
        tree = self.tree
        categories, numbers = sorted(tree.categories), sorted(tree.numbers)
        known = np.concatenate([codes >= 0, ~np.isnan(values)], axis=1)
        for rows, seen in patterns_of(known):
            of_categories = {categories[column]: column for column in seen if column < len(categories)}
            of_numbers = {
                numbers[column - len(categories)]: column - len(categories)
                for column in seen
                if column >= len(categories)
            }
            pattern = tree.pattern(wanted, of_categories, of_numbers)
            for step in pattern.steps_of(len(rows)):
                part = rows[step]
                yield (
                    part,
                    pattern,
                    Cases(
                        {node: codes[part, column].astype(np.int64) for node, column in of_categories.items()},
                        {node: values[part, column] for node, column in of_numbers.items()},
                        {},
                        len(part),
                    ),
                )

    def _pattern(self, wanted: int, findings: MixedFindings) -> tuple[Pattern, Cases]:
        pattern = self.tree.pattern(wanted, findings.codes, findings.values, findings.bounds, findings.likelihoods)
        codes = {index: np.array([code]) for index, code in findings.codes.items()}
        values = {index: np.array([value]) for index, value in findings.values.items()}
        with np.errstate(divide="ignore"):
            soft = {index: np.log(weights)[None] for index, weights in findings.likelihoods.items()}
        return pattern, Cases(codes, values, soft, 1)

    def _number(self, index: int, findings: MixedFindings) -> Normal | Mixture:
        """The distribution of a hidden number."""
        pattern, cases = self._pattern(1 << index, findings)
        component = pattern.component_of[index]
        weights = self._joint(pattern, cases, component.axes, findings)
        return _number(component, cases, index, weights[None])

    def _unobserved(self, targets: Targets, findings: MixedFindings) -> tuple[tuple[int, ...], bool]:
        indices, is_one = node_indices(self.network, targets)
        for index in indices:
            if index in findings.codes or index in findings.values:
                shown = findings.in_words(self.network)
                raise ParameterError(
                    f"{self.network.nodes[index]!r} is a target, but it is also observed ({shown}): remove it from the "
                    "targets or from the evidence"
                )
        return indices, is_one

    def _joint(self, pattern: Pattern, cases: Cases, keep: Sequence[int], findings: MixedFindings) -> Floats:
        """P(keep | e), an axis for each node, in their order."""
        logs, table = pattern.joint(cases, keep)
        if np.isneginf(logs[0]):
            self.refuse_impossible(findings)
        return table[0]

    def _distribution(self, index: int, table: Floats) -> Distribution:
        node = self.network.nodes[index]
        return Distribution(node, self.network.states[node], table)

    def _table(self, indices: Sequence[int], table: Floats) -> JointDistribution:
        nodes = [self.network.nodes[index] for index in indices]
        return JointDistribution(nodes, [self.network.states[node] for node in nodes], table)

    def _joint_answer(
        self,
        pattern: Pattern,
        cases: Cases,
        categories: Sequence[int],
        numbers: Sequence[int],
        findings: MixedFindings,
    ) -> MultivariateNormal | MultivariateMixture | MixedDistribution:
        """The joint distribution of numbers, or of categories and numbers."""
        others = [axis for axis in _axes_of(pattern, numbers) if axis not in categories]
        keep = (*categories, *others)
        weights = self._joint(pattern, cases, keep, findings)
        if np.count_nonzero(weights) > COMPONENTS:
            raise TooLargeError(
                f"the joint distribution of these nodes has {np.count_nonzero(weights):,} components, and the limit is "
                f"{COMPONENTS:,}: ask for fewer nodes at once, or give more evidence"
            )
        means, covariances = np.zeros((*weights.shape, len(numbers))), np.zeros((*weights.shape, *[len(numbers)] * 2))
        for component in dict.fromkeys(pattern.component_of[index] for index in numbers):
            own = [index for index in numbers if index in component.hidden]
            at = [numbers.index(index) for index in own]
            hidden = component.posterior(cases, own)
            means[..., at] = _spread(hidden.means[0], component.axes, keep, 1)
            covariances[..., np.array(at)[:, None], at] = _spread(hidden.covariances[0], component.axes, keep, 2)
        names = [self.network.nodes[index] for index in numbers]

        def mixture(chosen: tuple[int, ...]) -> MultivariateMixture:
            flat = weights[chosen].reshape(-1)
            centres = means[chosen].reshape(len(flat), -1)
            spreads = covariances[chosen].reshape(len(flat), len(numbers), len(numbers))
            kept = np.flatnonzero(flat > 0)
            normals = [MultivariateNormal(names, centres[row], spreads[row]) for row in kept]
            return MultivariateMixture(flat[kept], normals)

        if not categories:
            answer = mixture(())
            return answer.normals[0] if len(answer.normals) == 1 else answer
        table = weights.sum(axis=tuple(range(len(categories), weights.ndim)))
        states = [self.network.states[self.network.nodes[index]] for index in categories]
        mixtures = {
            tuple(of_node[code] for of_node, code in zip(states, chosen, strict=True)): mixture(chosen)
            for chosen in product(*map(range, table.shape))
            if table[chosen] > 0
        }
        return MixedDistribution(self._table(categories, table), mixtures)

    def _best(self, targets: Sequence[int], findings: MixedFindings, *, has_observed: bool) -> Completion:
        pattern, cases = self._pattern(mask_of(targets), findings)
        logs, codes = pattern.best(cases, targets)
        if np.isneginf(logs[0]):
            self.refuse_impossible(findings)
        chosen = {index: int(codes[index][0]) for index in targets}
        if has_observed:
            chosen = dict(sorted({**findings.codes, **chosen}.items()))
        nodes, states = self.network.nodes, self.network.states
        completed = {nodes[index]: states[nodes[index]][code] for index, code in chosen.items()}
        return Completion(completed, float(logs[0]), self.log_probability(findings))


def _axes_of(pattern: Pattern, indices: Sequence[int]) -> tuple[int, ...]:
    """The axes of the table that the distribution of nodes needs: categories, and those that numbers depend on."""
    axes: dict[int, None] = {}
    for index in indices:
        if index in pattern.component_of:
            axes |= dict.fromkeys(pattern.component_of[index].axes)
        else:
            axes[index] = None
    return tuple(axes)


def _spread(array: Floats, axes: Sequence[int], keep: Sequence[int], trailing: int) -> Floats:
    """An array over some of the axes ``keep``, which are sorted, as one over all of them in their order."""
    order = sorted(range(len(axes)), key=lambda at: keep.index(axes[at]))
    moved = array.transpose(*order, *range(len(axes), len(axes) + trailing))
    sizes = iter(moved.shape)
    shape = [next(sizes) if axis in axes else 1 for axis in keep]
    return moved.reshape(*shape, *array.shape[len(axes) :])


def _number(component: Component, cases: Cases, index: int, weights: Floats) -> Normal | Mixture:
    """The distribution of a hidden number in one row, from P(the axes of its component | row)."""
    bounded = component.bounded(cases, index)
    parts: Sequence[Floats] = bounded or ()
    most = COMPONENTS
    if bounded is None:
        points = component.smooth(cases, index)
        shares, *parts = points or component.normals(cases, index)
        weights = weights[..., None] * shares
        if points:  # the components stand for an integral, which needs fewer of them
            weights, most = np.where(weights > _NOTHING * weights.max(), weights, 0.0), _POINTS
    flat = [np.broadcast_to(part, weights.shape).reshape(-1) for part in parts]
    return _mixture(weights.reshape(-1), flat, most)


def _mixture(weights: Floats, parts: Sequence[Floats], most: int) -> Normal | Mixture:
    """Components with the same parameters are one; a single one without bounds is a normal."""
    kept = weights > 0
    weights = weights[kept]
    table = np.array([part[kept] for part in parts])
    order = np.lexsort(table)
    table, weights = table[:, order], weights[order]
    begins = np.flatnonzero(np.append(True, (table[:, 1:] != table[:, :-1]).any(axis=0)))
    columns, total = table[:, begins], np.add.reduceat(weights, begins)
    is_free = len(parts) == 2 or not np.isfinite(columns[2:]).any()
    if len(total) == 1 and is_free:
        return Normal(float(columns[0, 0]), float(columns[1, 0]))
    return Mixture(total, *columns).merged(most)
