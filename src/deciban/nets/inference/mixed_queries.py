"""Queries of a net of categories and numbers, all of them exact: single ones, and for the rows of a table.

    P(targets | e) = Σ Π P(category | parents) · Π p(number | parents) / p(e)

Categories have distributions; a number has a normal one, or a mixture of them with a component for each configuration
of the categories that its distribution depends on (``strong_tree``). Evidence on numbers has a density, so p(e) is a
probability only where all evidence is on categories or on intervals.

Means and variances are exact. So is the shape, with one exception: where numbers in intervals, by evidence or because
categories depend on their bins, nearly determine another number, the components of the latter are normals with the mean
and variance of the exact ones. Beyond ``COMPONENTS`` components are merged, and the answer says by how much that may
change it.

**Rows** are computed in pieces: what is missing at different ends of a row is summed separately,

    log p(row) = Σ_complete families log p(node | parents) + Σ_pieces log Σ_missing Π p(node | parents)

A *piece* is a set of missing nodes that families connect with one another. The families in which nothing is missing are
factors that are looked up, for all rows at once. Given what is observed, pieces are independent. A table with values
missing at random has nearly as many patterns of missing nodes as rows, but few different pieces, each of which is
computed once for all rows that have it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import prod
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from deciban.errors import ImpossibleEvidenceError, ParameterError, TooLargeError
from deciban.nets.graphs.bits import bits, mask_of
from deciban.nets.graphs.graph import Node
from deciban.nets.graphs.separation import d_separated, separation_masks
from deciban.nets.inference.distribution import Completion, Distribution, JointDistribution
from deciban.nets.inference.elimination import Cost, Factor, summed_to
from deciban.nets.inference.evidence import (
    Likelihoods,
    MixedFindings,
    Targets,
    node_indices,
    read_mixed_findings,
)
from deciban.nets.inference.mixture import COMPONENTS, MixedDistribution, Mixture, MultivariateMixture
from deciban.nets.inference.normal import MultivariateNormal, Normal
from deciban.nets.inference.strong_tree import Cases, Component, Hidden, Pattern, StrongTree, Tilt, strong_tree
from deciban.nets.mixed_network import MixedNetwork
from deciban.nets.network import Evidence
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["Answer", "ExpectedStatistics", "FamilyMoments", "MixedQueries", "RowPieces", "belief"]

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
        indices, is_one = self.unobserved(targets, findings)
        if is_one:
            return self.posterior_of(indices[0], findings)
        pattern, cases = self._pattern(mask_of(indices), findings)
        numbers = [index for index in indices if index in self.tree.numbers]
        categories = [index for index in indices if index not in self.tree.numbers]
        if not numbers:
            return self._table(categories, self._joint(pattern, cases, categories, findings))
        return self._joint_answer(pattern, cases, categories, numbers, findings)

    def posterior_of(self, index: int, findings: MixedFindings) -> Distribution | Normal | Mixture:
        """P(node | e) of a node that is not observed."""
        if index in self.tree.numbers:
            return self._number(index, findings)
        return self._distribution(index, self._joint(*self._pattern(1 << index, findings), [index], findings))

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
        indices, _ = self.unobserved(targets, findings)
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
        indices, _ = self.unobserved(targets, findings)
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

    def statistics_by_state(self, index: int, findings: MixedFindings) -> Iterator[ExpectedStatistics]:
        """The expected counts and moments of all families given the findings and each state of a category."""
        states = self.tree.cards[index]
        codes = {index: np.arange(states), **{node: np.full(states, code) for node, code in findings.codes.items()}}
        yield from self._statistics(1 << index, findings, codes, states)

    def statistics_by_tilt(
        self, index: int, findings: MixedFindings, centre: float, by: Floats
    ) -> Iterator[ExpectedStatistics]:
        """Those given the findings and a likelihood exp(by·(x − centre)) of a number x that is not observed."""
        codes = {node: np.full(len(by), code) for node, code in findings.codes.items()}
        yield from self._statistics(1 << index, findings, codes, len(by), Tilt(index, centre, by))

    def _statistics(
        self, wanted: int, findings: MixedFindings, codes: dict[int, Ints], rows: int, tilt: Tilt | None = None
    ) -> Iterator[ExpectedStatistics]:
        pattern = self.tree.pattern(wanted, codes, findings.values, findings.bounds, findings.likelihoods)
        _, one = self._pattern(wanted, findings)
        values = {node: np.full(rows, value) for node, value in findings.values.items()}
        cases = Cases(codes, values, one.soft, rows, tilt)
        for row in range(rows):
            sums = _Sums(self.tree)
            logs = sums.add(pattern, cases.part(slice(row, row + 1)), np.ones(1))
            yield sums.named(float(logs[0]))

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

    def unobserved(self, targets: Targets, findings: MixedFindings) -> tuple[tuple[int, ...], bool]:
        """The indices of targets, and whether it is one; an error for those that are observed."""
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
        return sums.named(float(sample_weight[counted] @ logs[counted]))

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

    def named(self, log_likelihood: float) -> ExpectedStatistics:
        """The sums by the names of the nodes."""
        names = self.tree.network.nodes
        return ExpectedStatistics(
            {names[node]: counts for node, counts in self.tables.items()},
            {names[node]: moments for node, moments in self.moments.items()},
            log_likelihood,
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
