"""Exact inference over categories and numbers together: the numbers are integrated out first, then the categories.

In a net of categories and conditional linear Gaussian numbers (Lauritzen, 1992), let the observed numbers be removed
from the regressions of their children, where they are constants. The hidden numbers then fall into *components*, which
are connected by regressions among hidden numbers only. Given a configuration j of the categorical parents of a
component C, its numbers are jointly normal, so C contributes a factor over these categories and a conditional
distribution,

    φ_C(j) = p(observed numbers of C | j),        hidden numbers of C | j, observed ~ N(μ_j, Σ_j)

and the rest is a net of categories with a few more tables, which is summed by bucket elimination. This is the strong
clique tree: all categories next to one component of numbers are joined in every strong triangulation (Lauritzen, 1992,
section 5), so no strong tree has a smaller boundary; and because evidence is removed first, the tables are often
smaller than those of a tree that is compiled for any evidence. Posteriors of categories are exact, and so are means and
variances of numbers, whose distribution is the mixture of N(μ_j, Σ_j) over P(j | evidence).

Within a component nothing is inverted. Each number is kept as a univariate regression on those before it (Cowell, 2005,
after Lauritzen and Jensen, 2001), and an observed y is moved past its parents, the last one first, by *exchange*: with
x = a + B·w + N(0, v) and y = c + b·x + d·w + N(0, s²), and t = s² + b²·v,

    y | w    = c + b·a + (d + b·B)·w + N(0, t)
    x | y, w = (s²/t)·(a + B·w) + (b·v/t)·(y − c − d·w) + N(0, v·s²/t)

Variances are only added, multiplied and divided, so they keep their digits beside others that are 10²⁴ times as large.
A variance of 0 is a deterministic relation: where t = 0, y follows from w, and an observation either agrees or is
impossible. A value that has positive probability outweighs densities, so configurations in which more observations are
certain replace all others.

A category that depends on the bin of a hidden number Z has the bins of Z as one more category. Its probability, given j
and the observed numbers, is that of an interval of a normal; x > 3 as evidence is the same with one bin. With several
such numbers in one component the probabilities of rectangles are integrated by quadrature, with two of them as exactly
as all else, with more of them to fewer digits: quadrature has fewer nodes for each.

Everything that depends on which nodes are observed, and not on their values, is done once, and rows with the same
observed nodes are computed together. ``tests/reference/mixed.py`` does the same by enumeration.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from threading import Lock
from typing import NamedTuple

import numpy as np

from deciban.errors import InputError, TooLargeError
from deciban.limits import VARIABLE, in_bytes, memory_limit
from deciban.nets.graphs.bits import bits, mask_of, reach
from deciban.nets.inference.elimination import (
    CELL,
    Cost,
    Elimination,
    Factor,
    Plan,
    Step,
    aligned,
    completion,
    fits,
    joined,
    plan,
    sliced,
    summed_to,
)
from deciban.nets.inference.normal import NODES, log_interval, quadrature, standardized
from deciban.nets.mixed_network import MixedNetwork
from deciban.types import AnyArray, Floats, Ints

__all__ = ["AGREES", "Bounds", "Cases", "Component", "Hidden", "Pattern", "StrongTree", "Tilt", "strong_tree"]

Bounds = tuple[float, float]
"""low < x ≤ high."""

_LOWEST = float(np.finfo(np.float64).min)
_LOG_TAU = float(np.log(2 * np.pi))

_CANCELLED = 1e-13
"""Sums of slopes up to this share of their terms are rounding errors of 0."""

AGREES = 1e-9
"""By how much an observation may differ from a value that others determine, relative to the terms of that value."""

_SHARP, _SHARPER = 0.5, 2.0
"""How steep an integrand may be for a quadrature without breaks, over two numbers and over more."""

_LAST_NODES = 24
"""The nodes for the last of more than two numbers."""

_TURNS = (-7.0, -2.5, 0.0, 2.5, 7.0)
"""Where a normal distribution function turns, in standard deviations."""

_FAR = 1e4
"""Nats of a density beside which the entries of tables would lose more than the last digits."""

_PATTERNS, _KEPT = 4096, 1 << 13
"""The most patterns of observed nodes that are kept, and the most numbers of a component kept for all its states."""

_ROW_NUMBERS = 1 << 22
"""The numbers that rows may take together in one array: 32 MB."""


class Tilt(NamedTuple):
    """A finding with the likelihood exp(by·(x − centre)) of a hidden number x: ``by`` has an entry for each row.

    The derivatives of log p(row) by it are the cumulants of x.
    """

    node: int
    centre: float
    by: Floats


class Cases(NamedTuple):
    """Observed values for rows with the same observed nodes, by the indices of nodes; log-likelihoods of categories."""

    codes: Mapping[int, Ints]
    values: Mapping[int, Floats]
    soft: Mapping[int, Floats]
    rows: int
    tilt: Tilt | None = None

    def part(self, rows: slice) -> Cases:
        """Some of the rows."""
        codes = {node: codes[rows] for node, codes in self.codes.items()}
        values = {node: values[rows] for node, values in self.values.items()}
        soft = {node: logs[rows] if len(logs) > 1 else logs for node, logs in self.soft.items()}
        tilt = self.tilt and self.tilt._replace(by=self.tilt.by[rows])
        return Cases(codes, values, soft, len(range(self.rows)[rows]), tilt)


class StrongTree:
    """A mixed net compiled for inference: answers for any pattern of observed nodes.

    Nodes are indices in ``network.nodes``; where the index of a hidden number stands for a category, that category is
    its bin.
    """

    def __init__(self, network: MixedNetwork) -> None:
        self.network = network
        dag, nodes = network.dag, network.nodes
        index = dag.index
        self.parent_masks: tuple[int, ...] = tuple(dag._parent_masks)
        self.order: tuple[int, ...] = tuple(map(index, dag.topological_order()))
        self.categories = frozenset(map(index, network.categories))
        self.numbers = frozenset(map(index, network.numbers))
        self.cards = tuple(len(network.states[node]) if node in network.states else 1 for node in nodes)
        self.families = {index(node): (*map(index, network.parents[node]), index(node)) for node in network.categories}
        with np.errstate(divide="ignore"):
            self.logs: dict[int, Floats] = {index(node): np.log(table) for node, table in network.factors.items()}
        self.cuts = {
            index(node): {index(parent): ends for parent, ends in network.cuts[node].items()}
            for node in network.categories
        }
        self.regressions = {
            index(node): Regression(
                tuple(map(index, of.categories)), tuple(map(index, of.numbers)), of.intercepts, of.slopes, of.variances
            )
            for node, of in network.regressions.items()
        }
        self.may_vanish = any(np.isneginf(logs).any() for logs in self.logs.values()) or any(
            (own.variances == 0).any() for own in self.regressions.values()
        )
        """Whether evidence may be impossible: an entry of a table or a variance is 0."""
        self._family_masks = [parents | 1 << node for node, parents in enumerate(self.parent_masks)]
        self.beside = [0] * len(nodes)
        """The nodes that are in a family together with each node, as masks."""
        for family in self._family_masks:
            for node in bits(family):
                self.beside[node] |= family & ~(1 << node)
        self._patterns: dict[tuple[object, ...], Pattern] = {}
        self._lock = Lock()

    def pattern(
        self,
        wanted: int,
        codes: Iterable[int],
        values: Iterable[int],
        bounds: Mapping[int, Bounds] | None = None,
        soft: Iterable[int] = (),
    ) -> Pattern:
        """What is done once for these observed nodes and wanted ones, which are a mask."""
        limits = dict(sorted((bounds or {}).items()))
        seen = frozenset(codes), frozenset(values)
        softened = frozenset(soft)
        key = (wanted, *seen, tuple(limits.items()), softened)
        found = self._patterns.get(key)
        if found is None:
            needed = wanted | mask_of(seen[0]) | mask_of(seen[1]) | mask_of(limits) | mask_of(softened)
            needed |= reach(self.parent_masks, needed)
            found = self._keep(key, Pattern(self, needed, *seen, limits, softened))
        return found

    def piece(self, hidden: int, wanted: int) -> Pattern:
        """The families of these missing nodes, given all others, for the posterior of wanted ones; sets are masks.

        Missing nodes without a wanted or observed descendant are removed.
        """
        key = (hidden, wanted)
        found = self._patterns.get(key)
        if found is None:
            touched = [node for node, family in enumerate(self._family_masks) if family & hidden]
            below = mask_of(node for node in touched if not hidden >> node & 1)
            within = [parents & hidden for parents in self.parent_masks]
            needed = below | wanted
            needed |= reach(within, needed)
            seen = 0
            for node in bits(needed):
                seen |= self._family_masks[node]
            known = list(bits(seen & ~hidden))
            codes = frozenset(node for node in known if node in self.categories)
            found = self._keep(key, Pattern(self, needed, codes, frozenset(known) - codes, {}, frozenset()))
        return found

    def log_density(self, node: int, cases: Cases) -> Floats:
        """log p(node | parents) in rows where all of them are observed."""
        if node in self.categories:
            return self.logs[node].reshape(-1)[self.flat_entry(node, cases)]
        own = self.regressions[node]
        at = tuple(cases.codes[category] for category in own.categories)
        terms = [own.intercepts[at], *(own.slopes[(*at, i)] * cases.values[z] for i, z in enumerate(own.numbers))]
        deviation = cases.values[node] - sum(terms)
        variance = np.broadcast_to(own.variances[at], cases.rows)
        is_noisy = variance > 0
        scale = np.where(is_noisy, variance, 1.0)
        with np.errstate(over="ignore"):
            logs = -0.5 * (_LOG_TAU + np.log(scale) + deviation / scale * deviation)
        if is_noisy.all():
            return np.asarray(logs)
        size = np.abs(cases.values[node]) + sum(map(np.abs, terms))
        return np.where(is_noisy, logs, np.where(np.abs(deviation) <= AGREES * size, 0.0, -np.inf))

    def flat_entry(self, node: int, cases: Cases) -> Ints:
        """The index of the entry of a category's table in each row, in which its family is observed."""
        cuts = self.cuts[node]
        axes = [
            np.searchsorted(cuts[axis], cases.values[axis], side="left") if axis in cuts else cases.codes[axis]
            for axis in self.families[node]
        ]
        return np.asarray(np.ravel_multi_index(tuple(axes), self.logs[node].shape))

    def _keep(self, key: tuple[object, ...], pattern: Pattern) -> Pattern:
        with self._lock:  # threads share the tree
            while len(self._patterns) >= _PATTERNS:
                self._patterns.pop(next(iter(self._patterns)))
            self._patterns[key] = pattern
        return pattern


class Regression(NamedTuple):
    """``Regressions`` with the indices of nodes."""

    categories: tuple[int, ...]
    numbers: tuple[int, ...]
    intercepts: Floats
    slopes: Floats
    variances: Floats


class Hidden(NamedTuple):
    """The hidden numbers of a component in all its configurations: rows × configurations of its axes.

    ``means`` have a last axis of numbers, ``covariances`` two of them.
    """

    means: Floats
    covariances: Floats


class Pattern:
    """The tables and components for one set of observed nodes, and the orders in which they are summed."""

    def __init__(
        self,
        tree: StrongTree,
        needed: int,
        codes: frozenset[int],
        values: frozenset[int],
        bounds: Mapping[int, Bounds],
        soft: frozenset[int],
    ) -> None:
        self.tree = tree
        self.codes, self.values = codes, values
        self.nodes = tuple(node for node in tree.order if needed >> node & 1)
        self.hidden = frozenset(node for node in self.nodes if node in tree.numbers and node not in values)
        self.ends = self._ends_of_bins(bounds)
        cards = list(tree.cards)
        for node, ends in self.ends.items():
            cards[node] = len(ends[0])
        self.cards = tuple(cards)
        self.tables = [self._table(node) for node in self.nodes if node in tree.categories]
        self.components = self._components()
        self.component_of = {node: each for each in self.components for node in each.hidden}
        self.scopes = [tuple(node for node in family if self.is_axis(node)) for _, _, family in self.tables]
        self.scopes += [(node,) for node in soft if node not in codes]
        self.scopes += [component.axes for component in self.components]
        self._plans: dict[tuple[tuple[int, ...], tuple[int, ...] | None], Plan] = {}

    def is_axis(self, node: int) -> bool:
        """Whether a node is an axis of tables: a category that is not observed, or a hidden number with bins."""
        return node in self.ends if node in self.tree.numbers else node not in self.codes

    def plan(self, keep: Sequence[int] = (), last: Sequence[int] | None = None) -> Plan:
        """The order in which all but ``keep`` are eliminated, those of ``last`` after the others."""
        key = tuple(keep), None if last is None else tuple(last)
        if key not in self._plans:
            free = {node for scope in self.scopes for node in scope} - set(keep)
            groups = [free] if last is None else [free - set(last), set(last)]
            self._plans[key] = plan(self.scopes, self.cards, *groups)
        return self._plans[key]

    def cost(self, keep: Sequence[int] = ()) -> Cost:
        """The memory and time of one row."""
        laid = self.plan(keep)
        largest, cells, widest = laid.largest, laid.cells, laid.widest
        for component in self.components:
            size = component.size
            cells += size
            if size > largest:
                largest, widest = size, (*component.axes, *component.hidden)
        names = tuple(self.tree.network.nodes[index] for index in widest)
        return Cost(len(laid.order) + len(self.components), largest, cells, CELL * cells, names)

    def check(self, keep: Sequence[int] = ()) -> None:
        """Refuse what would need more memory than allowed."""
        cells = max(self.plan(keep).peak, *(component.size for component in self.components), 1)
        if not fits(cells):
            needed = in_bytes(2 * CELL * self.cost(keep).largest)
            names = ", ".join(map(str, self.cost(keep).largest_clique[:12]))
            raise TooLargeError(
                f"this query needs a table of {cells:,} entries, {needed}, over {names}, and the limit is "
                f"{in_bytes(memory_limit())} (environment variable {VARIABLE}). Give more evidence, which makes tables "
                "smaller, or ask an approximate method: estimate"
            )

    def steps_of(self, rows: int) -> list[slice]:
        """Parts of rows that are computed at once."""
        widest = max(self.plan().peak, *(component.row_numbers for component in self.components), 1)
        step = max(_ROW_NUMBERS // widest, 1)
        return [slice(start, start + step) for start in range(0, rows, step)]

    def factors(self, cases: Cases) -> Factors:
        """The logarithms of all tables, sliced at the observed values."""
        tree, out = self.tree, []
        for node, logs, family in self.tables:
            seen = {axis: cases.codes[axis] for axis in family if axis in self.codes}
            for parent, ends in tree.cuts[node].items():
                if parent in self.values:
                    # Bin i holds c_i < z ≤ c_(i+1).
                    seen[parent] = np.searchsorted(ends, cases.values[parent], side="left")
            out += sliced([logs], [family], seen)
        for node, logs in cases.soft.items():
            if node in self.codes:
                rows = np.broadcast_to(logs, (cases.rows, logs.shape[1]))
                out.append(Factor((), rows[np.arange(cases.rows), cases.codes[node]]))
            else:
                out.append(Factor((node,), logs))
        found = [component.evidence(cases) for component in self.components]
        out += [evidence.logs for evidence in found]
        # All tables at once: of one row they are small, and a call costs more than their numbers.
        densities = np.concatenate([np.zeros(0), *(evidence.logs.table.ravel() for evidence in found)])
        has_far = bool(((np.abs(densities) > _FAR) & (densities > -np.inf)).any())
        return Factors(out, *_certain(out, found), has_far)

    def log_total(self, cases: Cases) -> Floats:
        """The log density of each row."""
        self.check()
        factors = self.factors(cases)
        _, rest = _sum_out(factors, self.plan().order, None)
        return factors.log_density(rest, cases.rows)

    def joint(self, cases: Cases, keep: Sequence[int]) -> tuple[Floats, Floats]:
        """The log density of each row, and P(keep | row): an axis for each, in their order; 0 in impossible rows."""
        self.check(keep)
        factors = self.factors(cases)
        _, rest = _sum_out(factors, self.plan(keep).order, None)
        numbers, table = [factor for factor in rest if not factor.scope], _product([f for f in rest if f.scope])
        wide = table.table.reshape(len(table.table), -1)
        logs = _log_sum(wide, 1)[:, 0]
        shares = np.exp(wide - np.maximum(logs, _LOWEST)[:, None]).reshape(table.table.shape)
        order = [table.scope.index(node) + 1 for node in keep]
        shares = np.broadcast_to(shares, (cases.rows, *shares.shape[1:])).transpose(0, *order)
        density = factors.log_density([*numbers, Factor((), logs)], cases.rows)
        return density, np.where(np.isneginf(density).reshape(-1, *(1 for _ in keep)), 0.0, shares)

    def marginals(self, cases: Cases) -> tuple[Floats, dict[int, Factor]]:
        """The log density of each row, and for each axis P(the axes of its product | row)."""
        self.check()
        factors, laid = self.factors(cases), self.plan()
        steps, rest = _sum_out(factors, laid.order, laid.order)
        return factors.log_density(rest, cases.rows), _beliefs(steps)

    def best(self, cases: Cases, targets: Sequence[int]) -> tuple[Floats, dict[int, Ints]]:
        """log max p(targets, row), and the codes of the targets; all other nodes are summed out first."""
        laid = self.plan((), targets)
        if not fits(laid.peak):
            self.check()
            raise TooLargeError(
                f"the most probable states of {len(targets)} nodes need a table of {laid.peak:,} entries; ask for "
                "fewer nodes, or give more evidence"
            )
        factors = self.factors(cases)
        steps, rest = _sum_out(factors, laid.order, targets, frozenset(targets))
        logs = factors.log_density(rest, cases.rows)
        return logs, completion(Elimination(tuple(steps), Factor((), logs), 0.0), cases.rows)

    def _ends_of_bins(self, bounds: Mapping[int, Bounds]) -> dict[int, tuple[Floats, Floats]]:
        """The lower and upper ends of the bins of hidden numbers that tables or intervals need."""
        out: dict[int, tuple[Floats, Floats]] = {}
        for node in self.hidden:
            cuts = [
                self.tree.cuts[child][node]
                for child in self.nodes
                if child in self.tree.categories and node in self.tree.cuts[child]
            ]
            if not cuts and node not in bounds:
                continue
            low, high = bounds.get(node, (-np.inf, np.inf))
            inner = np.unique(np.concatenate([*cuts, np.empty(0)]))
            inner = inner[(inner > low) & (inner < high)]
            out[node] = np.concatenate([[low], inner]), np.concatenate([inner, [high]])
        return out

    def _table(self, node: int) -> tuple[int, Floats, tuple[int, ...]]:
        """A node, its log table with the bins of hidden parents as these are cut for all children, and its axes."""
        logs, family = self.tree.logs[node], self.tree.families[node]
        for axis, parent in enumerate(family[:-1]):
            if parent in self.ends:
                bins = np.searchsorted(self.tree.cuts[node][parent], self.ends[parent][0], side="right")
                logs = logs.take(bins, axis=axis)
        return node, logs, family

    def _components(self) -> list[Component]:
        """The connected sets of hidden numbers, each with the observed ones that depend on them; others one by one."""
        group = {node: node for node in self.hidden}

        def find(node: int) -> int:
            while group[node] != node:
                node = group[node]
            return node

        numbers = [node for node in self.nodes if node in self.tree.numbers]
        for node in numbers:
            linked = [parent for parent in self.tree.regressions[node].numbers if parent in self.hidden]
            linked += [node] if node in self.hidden else []
            for other in linked[1:]:
                group[find(other)] = find(linked[0])
        members: dict[int, list[int]] = {}
        for node in numbers:
            linked = [parent for parent in self.tree.regressions[node].numbers if parent in self.hidden]
            key = find(node) if node in self.hidden else find(linked[0]) if linked else -1 - node
            members.setdefault(key, []).append(node)
        return [Component.of(self, tuple(nodes)) for nodes in members.values()]


class Evidence(NamedTuple):
    """The log density of a component's observed numbers, and how many of them are certain, by configuration."""

    logs: Factor
    certain: Factor | None


class Factors(NamedTuple):
    """Log tables; to those in which values are certain ``bonus`` has been added for each."""

    tables: list[Factor]
    bonus: float
    middle: float
    has_far: bool

    def log_density(self, rest: Sequence[Factor], rows: int) -> Floats:
        """The sum of numbers, without the bonus."""
        logs = _product(rest).table
        if self.bonus:
            finite = np.isfinite(logs)
            logs = np.where(
                finite, logs - self.bonus * np.round((np.where(finite, logs, 0.0) - self.middle) / self.bonus), logs
            )
        return np.broadcast_to(logs, rows)


class Conditioned(NamedTuple):
    """A component given its observed numbers, which are inputs o: known states × configurations × numbers.

    Observation y differs by ``residuals``·(o, 1) from its mean and has the variance ``noise``; the hidden numbers have
    the means ``means``·(o, 1) and the covariance root·rootᵀ.
    """

    residuals: Floats
    noise: Floats
    means: Floats
    roots: Floats


@dataclass(eq=False)
class Component:
    """Hidden numbers that depend on one another, with the observed numbers that depend on them."""

    tree: StrongTree
    hidden: tuple[int, ...]
    seen: tuple[int, ...]
    inputs: tuple[int, ...]
    scope: tuple[int, ...]
    known: tuple[int, ...]
    binned: tuple[int, ...]
    ends: tuple[tuple[Floats, Floats], ...]
    _kept: dict[bytes, Conditioned] = field(default_factory=dict)

    @classmethod
    def of(cls, pattern: Pattern, nodes: tuple[int, ...]) -> Component:
        """The component of these numbers, which are in topological order."""
        tree = pattern.tree
        hidden = tuple(node for node in nodes if node in pattern.hidden)
        seen = tuple(node for node in nodes if node not in pattern.hidden)
        categories = sorted({category for node in nodes for category in tree.regressions[node].categories})
        given = {parent for node in nodes for parent in tree.regressions[node].numbers if parent in pattern.values}
        binned = tuple(node for node in hidden if node in pattern.ends)
        return cls(
            tree,
            hidden,
            seen,
            tuple(sorted({*given, *seen})),
            tuple(node for node in categories if node not in pattern.codes),
            tuple(node for node in categories if node in pattern.codes),
            binned,
            tuple(pattern.ends[node] for node in binned),
        )

    @cached_property
    def axes(self) -> tuple[int, ...]:
        """The hidden categories and the binned numbers, sorted."""
        return tuple(sorted((*self.scope, *self.binned)))

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The number of states of each hidden category."""
        return tuple(self.tree.cards[node] for node in self.scope)

    @cached_property
    def cells(self) -> tuple[int, ...]:
        """The number of bins of each binned number."""
        return tuple(len(low) for low, _ in self.ends)

    @property
    def size(self) -> int:
        """The numbers that one configuration of the observed categories takes, or one row, whichever are more."""
        compiled = (
            prod(self.shape) * (len(self.hidden) + len(self.seen) + 1) * (len(self.hidden) + len(self.inputs) + 1)
        )
        return max(compiled, self.row_numbers)

    @property
    def row_numbers(self) -> int:
        """The numbers that one row takes."""
        products = prod(self.shape) * (len(self.seen) + 1) * (len(self.inputs) + 1)
        if not self.binned:
            return products
        # Quadrature over all binned numbers but the last, and in its bins, with moments.
        count = len(self.binned)
        outer = _nodes(count) ** (count - 1) * (4 if count == 2 else 1)  # between breaks there are more
        points = prod(self.cells) * outer * (NODES if count <= 2 else _LAST_NODES) * count**2
        return max(products, prod(self.shape) * points)

    def evidence(self, cases: Cases) -> Evidence:
        """log p(observed numbers, bins | configuration): a table with the axes of the component."""
        which, given = self._conditioned(cases)
        residuals = self._times(given.residuals, which, self._row_inputs(cases))
        noise = given.noise[which] if len(given.noise) > 1 else given.noise
        is_noisy = noise > 0
        with np.errstate(over="ignore"):
            scale = np.where(is_noisy, noise, 1.0)
            logs = -0.5 * (_LOG_TAU + np.log(scale) + residuals / scale * residuals)
        certain = None
        if not is_noisy.all():
            size = self._times(np.abs(given.residuals), which, np.abs(self._row_inputs(cases)))
            agrees = np.where(np.abs(residuals) <= AGREES * size, 0.0, -np.inf)
            logs = np.where(is_noisy, logs, agrees)
            certain = self._as_table((~is_noisy).sum(axis=-1).astype(np.float64))
        table = logs.sum(axis=-1)
        if cases.tilt and cases.tilt.node in self.hidden:
            # E[exp(by·(x − centre))] of the normal distribution in each configuration.
            untilted = self._means(which, given, cases._replace(tilt=None), [cases.tilt.node])[..., 0]
            tilted = self._means(which, given, cases, [cases.tilt.node])[..., 0]
            table = table + cases.tilt.by[:, None] * ((untilted + tilted) / 2 - cases.tilt.centre)
        if self.binned:
            means, roots, _ = self._binned(which, given, cases)
            log_p, _, _ = _rectangles(means, roots, self.ends, has_moments=False)
            table = table.reshape(*table.shape, *(1 for _ in self.cells)) + log_p
        return Evidence(self._as_table(table, bool(self.binned)), certain)

    def posterior(self, cases: Cases, targets: Sequence[int]) -> Hidden:
        """Means and covariances of hidden numbers given the row: rows × the sorted axes × numbers (× numbers)."""
        which, given = self._conditioned(cases)
        at = [self.hidden.index(node) for node in targets]
        means = self._means(which, given, cases, targets)
        roots = given.roots[:, :, at]
        roots = roots[which] if len(roots) > 1 else roots
        rows = len(means)
        if self.binned:
            binned_means, lower, basis = self._binned(which, given, cases)
            _, centre, spread = _rectangles(binned_means, lower, self.ends, has_moments=True)
            # hidden = mean + along·u + rest: u is restricted by the intervals, the rest is independent of it.
            along = roots @ basis
            rest = roots - along @ np.swapaxes(basis, -1, -2)
            extra = (slice(None), slice(None), *(None for _ in self.cells))
            along = along[extra]
            means = means[extra] + (along @ centre[..., None])[..., 0]
            covariances = (rest @ np.swapaxes(rest, -1, -2))[extra] + along @ spread @ np.swapaxes(along, -1, -2)
        else:
            covariances = roots @ np.swapaxes(roots, -1, -2)
        shape = (*self.shape, *self.cells)
        n = len(at)
        means = np.broadcast_to(means.reshape(len(means), *shape, n), (rows, *shape, n))
        covariances = covariances.reshape(len(covariances), *shape, n, n)
        last = len(shape) + 1
        return Hidden(means.transpose(0, *self._order, last), covariances.transpose(0, *self._order, last, last + 1))

    def bounded(self, cases: Cases, target: int) -> tuple[Floats, ...] | None:
        """Mean and variance of a number before its bounds, and the bounds: rows × the sorted axes.

        None unless a single number of the component has bins and determines the target, which is then a normal between
        bounds.
        """
        if len(self.binned) != 1:
            return None
        which, given = self._conditioned(cases)
        centre, lower, basis = self._binned(which, given, cases)
        at = self.hidden.index(target)
        roots = given.roots[which] if len(given.roots) > 1 else given.roots
        along = np.einsum("rkh,rkhc->rkc", roots[:, :, at], basis)[..., 0]
        rest = roots[:, :, at] - along[..., None] * basis[..., 0]
        size = np.linalg.norm(roots[:, :, at], axis=-1)
        if (np.linalg.norm(rest, axis=-1) > _CANCELLED * size).any() or (along == 0).any():
            return None
        means = self._means(which, given, cases, [target])[..., 0]
        own = lower[..., 0, 0]
        slope = along / np.where(own > 0, own, 1.0)
        ends = [means[..., None] + slope[..., None] * (end - centre) for end in self.ends[0]]
        if target == self.binned[0]:
            ends = list(self.ends[0])
        low, high = np.minimum(*ends), np.maximum(*ends)
        shape = (len(means), *self.shape, *self.cells)

        def as_table(array: Floats) -> Floats:
            wide = np.broadcast_to(array, (len(means), prod(self.shape), *self.cells))
            return wide.reshape(shape).transpose(0, *self._order)

        return as_table(means[..., None]), as_table((along**2)[..., None]), as_table(low), as_table(high)

    @cached_property
    def _order(self) -> tuple[int, ...]:
        """The axes of arrays, which have categories before binned numbers, in the order of ``axes``."""
        own = (*self.scope, *self.binned)
        return tuple(own.index(node) + 1 for node in self.axes)

    def normals(self, cases: Cases, target: int) -> tuple[Floats, Floats, Floats]:
        """A number as one normal of its mean and variance: as ``smooth``, with a single point."""
        hidden = self.posterior(cases, [target])
        return np.ones(1), hidden.means, hidden.covariances[..., 0]

    def smooth(self, cases: Cases, target: int) -> tuple[Floats, ...] | None:
        """A number in one row as a mixture: its shape where other numbers have bins.

        Given the numbers that have bins, others are normal, and so is the last of these between its bounds; over the
        points of a quadrature this gives the shares, means, variances and bounds of a mixture: sorted axes × points.
        None where no number has bins, where they determine the target so closely that the points would stand out, and
        where there would be too many.
        """
        if not self.binned or self.row_numbers > _ROW_NUMBERS:
            return None
        is_last = target in self.binned
        order = sorted(range(len(self.binned)), key=lambda at: self.binned[at] == target)
        which, given = self._conditioned(cases)
        centre, lower, basis = self._binned(which, given, cases, order)
        ends = [self.ends[at] for at in order]
        outer = len(ends) - is_last
        logs, points = _points(centre, lower, ends, outer)
        roots = (given.roots[which] if len(given.roots) > 1 else given.roots)[:, :, self.hidden.index(target)]
        extra = (..., *(None for _ in range(outer + 1)))
        if is_last:
            steps = np.abs(lower[..., -1, :-1]) * np.array([_gap(points[..., at], logs) for at in range(outer)])
            if (steps > lower[..., -1, -1:]).any():
                return None
            # shape: configurations × bins of the others × points × bins of the target
            mean = centre[..., -1][extra] + _along(points, lower[..., -1, :-1], outer)
            sd = np.broadcast_to(lower[..., -1, -1][extra], mean.shape)
            low, high = ends[-1]
            found = [mean[..., None], (sd**2)[..., None], low, high]
            logs = logs[..., None] + log_interval(mean[..., None], sd[..., None], low, high)
            shape = logs.shape
            found = [np.moveaxis(np.broadcast_to(part, shape), -2, -1) for part in found]
            logs = np.moveaxis(logs, -2, -1)
        else:
            along = np.einsum("rkh,rkhc->rkc", roots, basis)
            rest = np.linalg.norm(roots - np.einsum("rkc,rkhc->rkh", along, basis), axis=-1)
            steps = np.abs(along) * np.array([_gap(points[..., at], logs) for at in range(outer)])
            if (steps > rest[..., None]).any():
                return None
            mean = self._means(which, given, cases, [target])[..., 0]
            mean = mean[extra] + _along(points, along, outer)
            found = [mean, (rest**2)[extra], np.full(1, -np.inf), np.full(1, np.inf)]
            found = [np.broadcast_to(part, logs.shape) for part in found]
        shares = np.exp(logs - np.maximum(_log_sum(logs, -1), _LOWEST))
        own = [self.binned[at] for at in order]
        axes = [*self.scope, *own]
        wide = (cases.rows, *self.shape, *(len(low) for low, _ in ends), shares.shape[-1])
        to_axes = (0, *(axes.index(axis) + 1 for axis in self.axes), len(axes) + 1)
        return tuple(part.reshape(wide).transpose(to_axes) for part in (shares, *found))

    def _as_table(self, table: Floats, has_cells: bool = False) -> Factor:
        shape = (*self.shape, *(self.cells if has_cells else (1 for _ in self.cells)))
        return Factor(self.axes, table.reshape(len(table), *shape).transpose(0, *self._order))

    def _row_inputs(self, cases: Cases) -> Floats:
        columns = [cases.values[node] for node in self.inputs]
        return np.column_stack([*columns, np.ones(cases.rows)])

    def _times(self, matrices: Floats, which: Ints, rows: Floats) -> Floats:
        """matrices·row for each row: rows × configurations × numbers."""
        with np.errstate(over="ignore", invalid="ignore"):
            if len(matrices) == 1:
                out = np.einsum("kyi,ri->rky", matrices[0], rows)
            else:
                out = np.einsum("rkyi,ri->rky", matrices[which], rows)
        if not np.isfinite(out).all():
            names = ", ".join(str(self.tree.network.nodes[node]) for node in self.inputs)
            raise InputError(f"the values of {names} are so large that what follows from them is no float")
        return np.asarray(out)

    def _means(self, which: Ints, given: Conditioned, cases: Cases, targets: Sequence[int]) -> Floats:
        """The means of hidden numbers given the row, before they are bound to bins: rows × configurations × numbers."""
        at = [self.hidden.index(node) for node in targets]
        means = self._times(given.means[:, :, at], which, self._row_inputs(cases))
        if not cases.tilt or cases.tilt.node not in self.hidden:
            return means
        roots = given.roots[which] if len(given.roots) > 1 else given.roots
        covariances = np.einsum("rkah,rkh->rka", roots[:, :, at], roots[:, :, self.hidden.index(cases.tilt.node)])
        return np.asarray(means + cases.tilt.by[:, None, None] * covariances)

    def _binned(
        self, which: Ints, given: Conditioned, cases: Cases, order: Sequence[int] | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """Means of the binned numbers, a lower triangular root of their covariance, and the basis in which it is."""
        nodes = self.binned if order is None else [self.binned[index] for index in order]
        at = [self.hidden.index(node) for node in nodes]
        means = self._means(which, given, cases, nodes)
        roots = given.roots[:, :, at]
        basis, upper = np.linalg.qr(np.swapaxes(roots, -1, -2))
        signs = np.where(np.diagonal(upper, axis1=-2, axis2=-1) < 0, -1.0, 1.0)
        basis, lower = basis * signs[..., None, :], np.swapaxes(upper * signs[..., :, None], -1, -2)
        # What is left of a number that others determine is rounding.
        own = np.einsum("...ii->...i", lower)
        own = np.where(own <= _CANCELLED * np.linalg.norm(lower, axis=-1), 0.0, own)
        lower = lower.copy()
        np.einsum("...ii->...i", lower)[...] = own
        if len(lower) > 1:
            lower, basis = lower[which], basis[which]
        return means, lower, basis

    def _conditioned(self, cases: Cases) -> tuple[Ints, Conditioned]:
        """Which of the configurations of the observed categories each row has, and the component in each of these."""
        if not self.known:
            return np.zeros(cases.rows, dtype=np.int64), self._keep(np.zeros((1, 0), dtype=np.int64))
        cards = tuple(self.tree.cards[node] for node in self.known)
        codes = np.column_stack([cases.codes[node] for node in self.known])
        if cases.rows == 1:
            return np.zeros(1, dtype=np.int64), self._keep(codes)
        flat = np.ravel_multi_index(tuple(codes.T), cards)
        if prod(cards) * self.size <= _KEPT:
            every = np.indices(cards).reshape(len(cards), -1).T
            return flat, self._keep(every)
        _, first, which = np.unique(flat, return_index=True, return_inverse=True)
        return which.reshape(-1), self._condition(codes[first])

    def _keep(self, known: AnyArray) -> Conditioned:
        key = np.ascontiguousarray(known, dtype=np.int64).tobytes()
        found = self._kept.get(key)
        if found is None:
            found = self._condition(known)
            if len(self._kept) * self.size > _KEPT:
                self._kept.clear()
            self._kept[key] = found
        return found

    def _condition(self, known: AnyArray) -> Conditioned:
        """Move the observed numbers before the hidden ones by exchange, in every configuration."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = self._exchanged(known)
        if not all(np.isfinite(part).all() for part in found):
            names = ", ".join(str(self.tree.network.nodes[node]) for node in (*self.hidden, *self.seen))
            raise InputError(f"the regressions of {names} have products that no float holds: scale the columns")
        return found

    def _exchanged(self, known: AnyArray) -> Conditioned:
        configurations = np.indices(self.shape).reshape(len(self.shape), prod(self.shape))
        count = configurations.shape[1]
        codes = {node: np.tile(each, len(known)) for node, each in zip(self.scope, configurations, strict=True)}
        codes |= {node: np.repeat(known[:, i], count) for i, node in enumerate(self.known)}
        total, size = len(known) * count, len(self.inputs) + 1
        local = {node: _Local.of(self, node, codes, total) for node in (*self.hidden, *self.seen)}
        residuals, noise = np.empty((total, len(self.seen), size)), np.empty((total, len(self.seen)))
        for at, y in enumerate(self.seen):
            own = local[y]
            for x in range(len(self.hidden) - 1, -1, -1):
                if own.slopes[:, x].any():
                    own, local[self.hidden[x]] = _exchange(own, local[self.hidden[x]], x, self.inputs.index(y))
            residuals[:, at] = -own.base
            residuals[:, at, self.inputs.index(y)] += 1.0
            noise[:, at] = own.variance
        means, roots = np.empty((total, len(self.hidden), size)), np.zeros((total, len(self.hidden), len(self.hidden)))
        for at, x in enumerate(self.hidden):
            base, slopes, variance = local[x]
            means[:, at] = base + np.einsum("ch,chi->ci", slopes[:, :at], means[:, :at])
            roots[:, at] = np.einsum("ch,chi->ci", slopes[:, :at], roots[:, :at])
            roots[:, at, at] = np.sqrt(variance)
        parts = (residuals, noise, means, roots)
        return Conditioned(*(part.reshape(len(known), count, *part.shape[1:]) for part in parts))


class _Local(NamedTuple):
    """A number as a regression: base·(inputs, 1) + slopes·hidden + N(0, variance), in each configuration."""

    base: Floats
    slopes: Floats
    variance: Floats

    @classmethod
    def of(cls, component: Component, node: int, codes: Mapping[int, Ints], total: int) -> _Local:
        own = component.tree.regressions[node]
        at = tuple(codes[category] for category in own.categories)
        base, slopes = np.zeros((total, len(component.inputs) + 1)), np.zeros((total, len(component.hidden)))
        base[:, -1] = own.intercepts[at]
        for parent, column in zip(own.numbers, np.moveaxis(own.slopes, -1, 0), strict=True):
            if parent in component.inputs:
                base[:, component.inputs.index(parent)] = column[at]
            else:
                slopes[:, component.hidden.index(parent)] = column[at]
        return cls(base, slopes, np.broadcast_to(own.variances[at], total).copy())


def _exchange(y: _Local, x: _Local, index: int, own: int) -> tuple[_Local, _Local]:
    """y | w and x | y, w from x | w and y | x, w; x is hidden number ``index``, y input ``own``."""
    b = y.slopes[:, index].copy()
    through = b * b * x.variance
    total = y.variance + through
    is_certain = total == 0
    divisor = np.where(is_certain, 1.0, total)
    # Not b·v/t: b² may overflow or underflow where b does not.
    gain = np.where(is_certain, 0.0, b * (x.variance / divisor))
    left = np.where(is_certain, 1.0, y.variance / divisor)
    direct = y.slopes.copy()
    direct[:, index] = 0.0
    predicted = _Local(_sum(y.base, b[:, None] * x.base), _sum(direct, b[:, None] * x.slopes), total)
    base = left[:, None] * x.base - gain[:, None] * y.base
    base[:, own] += gain
    slopes = _sum(left[:, None] * x.slopes, -gain[:, None] * direct)
    return predicted, _Local(base, slopes, x.variance * left)


def _sum(one: Floats, other: Floats) -> Floats:
    """The sum, 0 where it is the rounding error of terms that cancel."""
    total = one + other
    return np.where(np.abs(total) <= _CANCELLED * (np.abs(one) + np.abs(other)), 0.0, total)


def _nodes(count: int) -> int:
    """The nodes of quadrature for each of several binned numbers: fewer each, the more there are."""
    return (NODES, NODES, NODES, 20, 12, 8)[count] if count < 6 else 6


def _between_breaks(nodes: int) -> int:
    return max(nodes // 3, 6)


def _check_points(points: int, ends: Sequence[tuple[Floats, Floats]], nodes: int) -> None:
    """Refuse integrals over more points than memory holds, where these have to be close together."""
    cells = points * prod(len(low) for low, _ in ends) * nodes ** len(ends[1:]) * (len(ends) + 1) ** 2
    if not fits(cells):
        raise TooLargeError(
            f"the probability that {len(ends) + 1} connected numbers lie in intervals has {cells:,} terms, as some of "
            "them nearly determine others. Give more evidence, or ask an approximate method: estimate"
        )


def _rectangles(
    means: Floats, roots: Floats, ends: Sequence[tuple[Floats, Floats]], *, has_moments: bool, nodes: int = 0
) -> tuple[Floats, Floats, Floats]:
    """The log probabilities of bins of x = mean + root·u, and the mean and covariance of u in each of them.

    The root is lower triangular: the first number depends on u₁ alone, and given u₁ the others are normal again, so the
    probability is an integral over u₁, by quadrature in each bin, and over the last one in closed form.
    """
    nodes = nodes or _nodes(len(ends))
    low, high = ends[0]
    mean, sd = means[..., :1], roots[..., 0, :1]
    is_last = len(ends) == 1
    if is_last and not has_moments:
        return log_interval(mean, sd, low, high), mean, mean
    if is_last:
        log_p, centre, spread = standardized(mean, sd, low, high, n=NODES if nodes == NODES else _LAST_NODES)
        return log_p, centre[..., None], spread[..., None, None]
    if not roots[..., 1:, 0].any():
        return _independent(mean, sd, means, roots, ends, has_moments=has_moments, nodes=nodes)
    # A number that is certain restricts nothing: u₁ is then any direction.
    certain = np.where((low < mean) & (mean <= high), 0.0, -np.inf)
    is_free = sd == 0
    unit = np.where(is_free, 1.0, sd)
    breaks = _breaks(means, roots, ends[1:], nodes)
    u, t0, shares = quadrature(
        np.where(is_free, 0.0, mean),
        unit,
        np.where(is_free, -np.inf, low),
        np.where(is_free, np.inf, high),
        n=nodes if breaks is None else _between_breaks(nodes),
        breaks=breaks,
    )
    _check_points(u.size, ends[1:], nodes)
    u = u + t0[..., None]
    with np.errstate(divide="ignore"):
        log_w = np.log(shares) - (t0 * t0 / 2 + _LOG_TAU / 2)[..., None] + np.where(is_free, certain, 0.0)[..., None]
    below = means[..., None, None, 1:] + roots[..., None, None, 1:, 0] * u[..., None]
    inner, centre, spread = _rectangles(
        below, roots[..., None, None, 1:, 1:], ends[1:], has_moments=has_moments, nodes=nodes
    )
    extra = (..., *(None for _ in ends[1:]))
    logs = log_w[extra] + inner
    axis = u.ndim - 1
    log_p = _log_sum(logs, axis).squeeze(axis)
    if not has_moments:
        return log_p, centre, spread
    shares = np.exp(logs - np.maximum(np.expand_dims(log_p, axis), _LOWEST))
    first = np.broadcast_to(u[extra], shares.shape)[..., None]
    values = np.concatenate([first, np.broadcast_to(centre, (*shares.shape, centre.shape[-1]))], axis=-1)
    weights = shares[..., None]
    middle = (weights * values).sum(axis=axis)
    deviations = values - np.expand_dims(middle, axis)
    n = len(ends)
    within = np.zeros((*shares.shape, n, n))
    within[..., 1:, 1:] = spread
    covariance = (weights[..., None] * (within + deviations[..., :, None] * deviations[..., None, :])).sum(axis=axis)
    return log_p, middle, covariance


def _independent(
    mean: Floats,
    sd: Floats,
    means: Floats,
    roots: Floats,
    ends: Sequence[tuple[Floats, Floats]],
    *,
    has_moments: bool,
    nodes: int,
) -> tuple[Floats, Floats, Floats]:
    """``_rectangles`` where the first number is independent of the others."""
    own, middle, variance = standardized(mean, sd, *ends[0])
    inner, centre, spread = _rectangles(
        means[..., 1:], roots[..., 1:, 1:], ends[1:], has_moments=has_moments, nodes=nodes
    )
    extra = (..., *(None for _ in ends[1:]))
    rest = inner.ndim - len(ends) + 1
    log_p = own[extra] + np.expand_dims(inner, rest)
    if not has_moments:
        return log_p, log_p, log_p
    first = np.broadcast_to(middle[extra], log_p.shape)[..., None]
    others = np.broadcast_to(np.expand_dims(centre, rest), (*log_p.shape, centre.shape[-1]))
    covariance = np.zeros((*log_p.shape, len(ends), len(ends)))
    covariance[..., 0, 0] = variance[extra]
    covariance[..., 1:, 1:] = np.expand_dims(spread, rest)
    return log_p, np.concatenate([first, others], axis=-1), covariance


def _points(means: Floats, roots: Floats, ends: Sequence[tuple[Floats, Floats]], count: int) -> tuple[Floats, Floats]:
    """The points of a quadrature over the first numbers of x = mean + root·u in their bins, and their log weights.

    Rows × configurations × bins of each number × points; the points have a last axis for u.
    """
    logs, points = np.zeros((*means.shape[:-1], 1)), np.zeros((*means.shape[:-1], 1, 0))
    for at in range(count):
        low, high = ends[at]
        extra = (..., *(None for _ in range(at + 1)))
        mean = (means[..., at][extra] + _along(points, roots[..., at, :at], at))[..., None, :]
        sd = np.broadcast_to(roots[..., at, at][extra][..., None, :], mean.shape)
        is_free = sd == 0
        certain = np.where(is_free & ~((low[:, None] < mean) & (mean <= high[:, None])), -np.inf, 0.0)
        later = np.stack(
            [means[..., i][extra] + _along(points, roots[..., i, :at], at) for i in range(at, len(ends))],
            axis=-1,
        )
        inner = roots[..., at:, at:].reshape(*roots.shape[:-2], *(1 for _ in range(at + 1)), *[len(ends) - at] * 2)
        nodes = _nodes(len(ends))
        breaks = _breaks(later, inner, ends[at + 1 :], nodes) if at + 1 < len(ends) else None
        u, t0, shares = quadrature(
            np.where(is_free, 0.0, mean),
            np.where(is_free, 1.0, sd),
            np.where(is_free, -np.inf, low[:, None]),
            np.where(is_free, np.inf, high[:, None]),
            n=nodes if breaks is None else _between_breaks(nodes),
            breaks=None if breaks is None else np.moveaxis(breaks, -2, -3),
        )
        _check_points(u.size, ends[at:], 1)
        with np.errstate(divide="ignore"):
            fresh = np.log(shares) - (t0 * t0 / 2 + _LOG_TAU / 2)[..., None] + certain[..., None]
        wide = np.broadcast_shapes(fresh.shape, (*logs.shape[:-1], 1, logs.shape[-1], 1))
        logs = np.broadcast_to(logs[..., None, :, None] + fresh, wide)
        before = np.broadcast_to(points[..., None, :, None, :], (*wide, at))
        points = np.concatenate([before, np.broadcast_to(u + t0[..., None], wide)[..., None]], axis=-1)
        logs = logs.reshape(*wide[:-2], -1)
        points = points.reshape(*wide[:-2], logs.shape[-1], at + 1)
    return logs, points


def _along(points: Floats, slopes: Floats, count: int) -> Floats:
    """Σ slope·u at each point: slopes have rows × configurations × u."""
    wide = slopes.reshape(*slopes.shape[:-1], *(1 for _ in range(count + 1)), slopes.shape[-1])
    return (points * wide).sum(axis=-1)


def _gap(points: Floats, logs: Floats) -> float:
    """The largest distance between neighbouring points that count."""
    values = np.where(np.isfinite(logs) & (logs > logs.max(axis=-1, keepdims=True) - 30), points, np.nan)
    with np.errstate(invalid="ignore"):
        apart = np.diff(np.sort(values, axis=-1), axis=-1)
    return float(np.nanmax(apart, initial=0.0))


def _breaks(means: Floats, roots: Floats, ends: Sequence[tuple[Floats, Floats]], nodes: int) -> Floats | None:
    """Where the probabilities of the bins of the other numbers turn with u₁; None where they turn slowly.

    Given u₁ the number x has the mean m + b·u₁ and a standard deviation s: that it is above an end e turns from 0 to 1
    around u₁ = (e − m)/b, within a few s/b.
    """
    slopes, rest = roots[..., 1:, 0], np.linalg.norm(roots[..., 1:, 1:], axis=-1)
    # Fewer nodes, of more numbers, are for less accuracy.
    if (np.abs(slopes) <= (_SHARP if nodes == NODES else _SHARPER) * rest).all():
        return None
    found = []
    safe = np.where(slopes != 0, slopes, 1.0)
    for at, (low, high) in enumerate(ends):
        inner = np.unique(np.concatenate([low, high]))
        inner = inner[np.isfinite(inner)]
        centre = (inner - means[..., 1 + at, None]) / safe[..., at, None]
        width = (rest[..., at] / np.abs(safe[..., at]))[..., None]
        found += [centre + k * width for k in _TURNS]
    return np.concatenate(found, axis=-1)[..., None, :] if found else None


def _certain(tables: Sequence[Factor], found: Sequence[Evidence]) -> tuple[float, float]:
    """Add to the log tables of components so much for each certain value that it outweighs all densities."""
    counts = [evidence.certain for evidence in found if evidence.certain is not None]
    if all(np.ptp(count.table) == 0 for count in counts):
        return 0.0, 0.0
    least, most = 0.0, 0.0
    for factor in tables:
        finite = factor.table[np.isfinite(factor.table)]
        least, most = least + float(finite.min(initial=0.0)), most + float(finite.max(initial=0.0))
    # More than all densities together can differ, and e⁶⁰ is more than the number of configurations.
    bonus = 2 * (most - least) + 120.0
    for index, evidence in enumerate(found, start=len(tables) - len(found)):
        if evidence.certain is not None:
            table = tables[index].table + bonus * evidence.certain.table
            tables[index] = Factor(tables[index].scope, table)  # type: ignore[index]
    return bonus, (most + least) / 2


def _sum_out(
    factors: Factors, order: Sequence[int], keep: Iterable[int] | None, maximized: frozenset[int] = frozenset()
) -> tuple[list[Step], list[Factor]]:
    """``elimination.sum_out`` of logarithms; the products of the steps that are kept are P(node | the others).

    Where densities are far in their tails, the peak of each table is a number beside it, since in a sum with other
    tables it would take the digits of their entries.
    """
    rank = {node: at for at, node in enumerate(order)}
    kept = frozenset(keep or ())
    waiting: dict[int, list[Factor]] = {node: [] for node in order}
    rest: list[Factor] = []
    steps = []

    def put(factor: Factor) -> None:
        if factors.has_far and factor.scope:
            peak = factor.table.max(axis=tuple(range(1, factor.table.ndim)), keepdims=True)
            peak = np.where(np.isfinite(peak), peak, 0.0)
            rest.append(Factor((), peak.reshape(-1)))
            factor = Factor(factor.scope, factor.table - peak)
        first = min((rank[node] for node in factor.scope if node in rank), default=None)
        (rest if first is None else waiting[order[first]]).append(factor)

    for factor in factors.tables:
        put(factor)
    with np.errstate(divide="ignore"):
        for node in order:
            whole = _product(waiting.pop(node))
            axis = whole.scope.index(node) + 1
            peak = np.maximum(whole.table.max(axis=axis, keepdims=True), _LOWEST)
            odds = np.exp(whole.table - peak)
            if node in maximized:
                total, shares = whole.table.max(axis=axis), odds
            else:
                sums = odds.sum(axis=axis, keepdims=True)
                total = (np.log(sums) + peak).squeeze(axis)
                shares = np.divide(odds, sums, out=np.zeros_like(odds), where=sums > 0) if node in kept else odds
            message = Factor(tuple(other for other in whole.scope if other != node), total)
            if node in kept:
                steps.append(Step(node, Factor(whole.scope, shares), message))
            put(message)
    return steps, rest


def _product(factors: Sequence[Factor]) -> Factor:
    """The sum of log tables."""
    if not factors:
        return Factor((), np.zeros(1))
    ordered = sorted(factors, key=lambda factor: factor.table.size // len(factor.table))
    result = ordered[0]
    for factor in ordered[1:]:
        scope = result.scope if result.scope == factor.scope else tuple(sorted({*result.scope, *factor.scope}))
        result = Factor(scope, aligned(result, scope) + aligned(factor, scope))
    return result


def _beliefs(steps: Sequence[Step]) -> dict[int, Factor]:
    """For each node P(the nodes of its product), from P(node | the others) of all."""
    rank = {step.node: at for at, step in enumerate(steps)}
    out: dict[int, Factor] = {}
    for node, conditional, message in reversed(steps):
        out[node] = conditional
        if message.scope:
            holder = min(message.scope, key=rank.__getitem__)
            out[node] = joined(conditional, summed_to(out[holder], message.scope))
    return out


def _log_sum(logs: Floats, axis: int) -> Floats:
    """log Σ exp along an axis, which is kept; −∞ where all are −∞."""
    peak = np.maximum(logs.max(axis=axis, keepdims=True), _LOWEST)
    with np.errstate(divide="ignore"):
        return np.log(np.exp(logs - peak).sum(axis=axis, keepdims=True)) + peak


def strong_tree(network: MixedNetwork) -> StrongTree:
    """The strong tree of a network, made at the first call and kept with it."""
    if not isinstance(network._strong_tree, StrongTree):
        # Two threads may both make it: each gets a whole tree, and the last one is kept.
        network._strong_tree = StrongTree(network)
    return network._strong_tree
