"""Variable elimination: one pass for a probability, a backward pass for all marginals or the best completion.

Eliminating v multiplies the factors that contain it into a product ψ and replaces them by Σ_v ψ:

    P(e) = Σ_{v₁} … Σ_{vₙ} Π φ          (Zhang and Poole, 1994; bucket elimination, Dechter, 1999)

Each step also gives P(v | rest of ψ, e) = ψ / Σ_v ψ. So the backward pass, last node first, multiplies these
conditionals to the marginals (two passes through the tree of products; Lauritzen and Spiegelhalter, 1988):

    P(ψ's nodes | e) = P(v | the others, e) · P(the others | e)

With max instead of Σ the backward pass gives the most probable completion. Products are rescaled case by case before
they underflow, and the logarithms of the scales are added to log P(e).

*Factors* are tables over some nodes, at first those of the net. Evidence slices them: an observed node is not an axis
any more. Every table has a first axis of *cases*, so that many cases with the same observed nodes share one
multiplication; its length is 1 if the table is the same for all. The nodes of a scope are sorted, so that tables are
aligned by inserting axes of length 1, never by transposing. Only floats are divided or have logarithms taken: with
``Fraction`` entries everything is exact.

The *order* decides the cost, which is known before any memory is allocated: the sum of the sizes of the products. The
best order is hard to find (Arnborg, Corneil and Proskurowski, 1987); *min-fill* eliminates next the node that adds the
fewest new neighbours, of ties the one with the smallest product, which is usually close to the best (Kjærulff, 1990).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import NamedTuple

import numpy as np

from deciban.choices import counted
from deciban.errors import TooLargeError
from deciban.limits import VARIABLE, in_bytes, memory_limit
from deciban.nets.data.grouping import Group, groups_of
from deciban.nets.graphs.bits import bits, mask_of
from deciban.nets.graphs.graph import Node
from deciban.nets.network import Network
from deciban.ties import TIE
from deciban.types import AnyArray, Floats, Ints

__all__ = [
    "CELL",
    "ROW_CELLS",
    "Cost",
    "Elimination",
    "Factor",
    "Plan",
    "SlicedElimination",
    "Step",
    "aligned",
    "beliefs",
    "check_size",
    "completion",
    "eliminate",
    "fits",
    "joined",
    "plan",
    "product",
    "rescaled",
    "sliced",
    "sum_out",
    "summed_to",
]

CELL = 8
"""The bytes of an entry."""

_TABLES = 2
"""A product is made from another table of up to its size, and both are in memory."""

_SMALL, _LARGE = 1e-60, 1e60
"""A table whose largest entry leaves these bounds is rescaled, long before products end at 1e±308."""

ROW_CELLS = 1 << 20
"""Entries of the largest product that rows may take together: 8 MB, however many rows there are."""

_SHOWN = 12

Soft = Mapping[int, Floats] | None
"""The likelihoods of some nodes, rows × states."""


class Factor(NamedTuple):
    """A table whose first axis is that of cases, the others the nodes of its scope, sorted."""

    scope: tuple[int, ...]
    table: AnyArray


def sliced(
    factors: Sequence[AnyArray], families: Sequence[Sequence[int]], seen: Mapping[int, AnyArray]
) -> list[Factor]:
    """The tables of some families without the observed nodes (index → a code for each case).

    >>> rain, wet = np.array([0.8, 0.2]), np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> [
    ...     factor.table.tolist()
    ...     for factor in sliced([rain, wet], [(0,), (0, 1)], {1: np.array([1])})
    ... ]
    [[[0.8, 0.2]], [[0.1, 0.8]]]
    """
    out = []
    for table, axes in zip(factors, families, strict=True):
        # The observed axes first: indexing them all with one array of codes for each makes them the axis of cases.
        known = [axis for axis, node in enumerate(axes) if node in seen]
        free = sorted((axis for axis, node in enumerate(axes) if node not in seen), key=axes.__getitem__)
        transposed = table.transpose(*known, *free)
        of_cases = transposed[tuple(seen[axes[axis]] for axis in known)] if known else transposed[None]
        out.append(Factor(tuple(axes[axis] for axis in free), of_cases))
    return out


def product(factors: Iterable[Factor]) -> tuple[Factor, Floats | float]:
    """The product of factors, and the logarithm of its scale."""
    # Small tables first: the intermediate products have only the axes of the factors so far.
    ordered = sorted(factors, key=lambda factor: factor.table.size // len(factor.table))
    result, log_scale = rescaled(ordered[0]) if ordered else (Factor((), np.ones(1)), 0.0)
    for factor in ordered[1:]:
        result, log_peak = rescaled(joined(result, factor))
        log_scale = log_scale + log_peak
    return result, log_scale


def joined(one: Factor, other: Factor) -> Factor:
    """The product of two factors."""
    scope = one.scope if one.scope == other.scope else tuple(sorted({*one.scope, *other.scope}))
    return Factor(scope, aligned(one, scope) * aligned(other, scope))


def aligned(factor: Factor, scope: Sequence[int]) -> AnyArray:
    """The factor's table with an axis of length 1 for each node of a wider scope that it does not have."""
    if factor.scope == tuple(scope):
        return factor.table
    sizes = dict(zip(factor.scope, factor.table.shape[1:], strict=True))
    return factor.table.reshape(factor.table.shape[0], *(sizes.get(node, 1) for node in scope))


def summed_to(factor: Factor, scope: Iterable[int]) -> Factor:
    """The factor with all nodes but these summed out."""
    kept = set(scope)
    axes = tuple(axis + 1 for axis, node in enumerate(factor.scope) if node not in kept)
    return Factor(tuple(node for node in factor.scope if node in kept), factor.table.sum(axis=axes))


def rescaled(factor: Factor) -> tuple[Factor, Floats | float]:
    """The factor with the largest entry of each case scaled to 1, and the logarithm of the scale.

    Only if some case is near the smallest or largest doubles; a case whose entries are all 0, and exact numbers, stay
    as they are.
    """
    table = factor.table
    # First the usual case, one table for all cases: two numbers are cheaper to find than a peak for each case.
    if table.dtype == object or (len(table) == 1 and _SMALL < table.max() < _LARGE):
        return factor, 0.0
    peak = table.max(axis=tuple(range(1, table.ndim)), keepdims=True)
    if peak.min() > _SMALL and peak.max() < _LARGE:
        return factor, 0.0
    peak = np.where(peak > 0, peak, 1.0)  # an impossible case stays all 0, so that its log P is −∞ and not NaN
    return Factor(factor.scope, table / peak), np.log(peak).reshape(len(peak))


@dataclass(frozen=True)
class Plan:
    """Nodes in the order of their elimination, and the cost; ``left`` is the size of the remaining table.

    ``largest`` and ``cells`` are the entries of the largest product and of all, ``widest`` the nodes of the largest.
    """

    order: tuple[int, ...]
    largest: int
    cells: int
    left: int
    widest: tuple[int, ...]

    @property
    def peak(self) -> int:
        """The entries of the largest table."""
        return max(self.largest, self.left)

    def cost(self, nodes: Sequence[Node]) -> Cost:
        """The cost, with the names of the nodes."""
        names = tuple(nodes[index] for index in self.widest)
        return Cost(len(self.order), self.largest, self.cells, CELL * self.cells, names)


def plan(scopes: Iterable[Sequence[int]], cards: Sequence[int], *groups: Iterable[int]) -> Plan:
    """Order the nodes of each group by min-fill, all of a group before the next; nodes in no group are kept.

    The last few hundred plans are cached, for queries that differ only in the observed states.

    >>> plan([(0,), (0, 1), (1, 2)], (2, 2, 2), [0, 1])
    Plan(order=(0, 1), largest=4, cells=8, left=2, widest=(0, 1))
    """
    return _plan(tuple(map(tuple, scopes)), tuple(cards), tuple(tuple(sorted(group)) for group in groups))


def fits(cells: int, limit: int | None = None) -> bool:
    """Whether so many table entries are within ``limit`` bytes, or within the memory limit."""
    return _TABLES * CELL * cells <= memory_limit(limit)


def check_size(cells: int, what: str, limit: int | None = None) -> None:
    """Refuse what would need more memory than allowed."""
    if not fits(cells, limit):
        raise TooLargeError(
            f"{what} needs {cells:,} table entries, {in_bytes(_TABLES * CELL * cells)}, and the limit is "
            f"{in_bytes(memory_limit(limit))}{'' if limit else f' (environment variable {VARIABLE})'}. Ask for fewer "
            "nodes at once, or give more evidence, which makes tables smaller."
        )


@dataclass(frozen=True)
class Cost:
    """The cost of a query; of a compiled net, its cost without evidence. Evidence reduces it.

    Attributes
    ----------
    cliques : int
        The number of products of tables.
    largest : int
        The entries of the largest of them.
    cells : int
        The entries of all of them, in a clique tree with the separators.
    bytes : int
        The memory, with separate tables for each of ``rows_at_a_time`` rows.
    largest_clique : tuple of nodes
        The nodes of the largest one.
    rows_at_a_time : int
        The number of rows that are processed at once: in a clique tree the number of threads, or what the limit allows.

    See Also
    --------
    BayesNet.cost : Returns it.

    Examples
    --------
    >>> from deciban.nets import Cost
    >>> print(Cost(3, 8, 16, 128, ("lung", "tub", "either")))
    3 products, the largest of 8 entries (lung, tub, either), 16 entries in all (128 bytes)
    """

    cliques: int
    largest: int
    cells: int
    bytes: int
    largest_clique: tuple[Node, ...] = ()
    rows_at_a_time: int = 1

    def __str__(self) -> str:
        nodes = ", ".join(map(str, self.largest_clique[:_SHOWN])) + (", …" if len(self.largest_clique) > _SHOWN else "")
        largest = f"the largest of {self.largest:,} entries" + (f" ({nodes})" if nodes else "")
        return f"{counted(self.cliques, 'product')}, {largest}, {self.cells:,} entries in all ({in_bytes(self.bytes)})"


class Step(NamedTuple):
    """A node, the product that it was eliminated from, and the product without it."""

    node: int
    product: Factor
    message: Factor


class Elimination(NamedTuple):
    """The steps, the product of the remaining factors, and the logarithm of the scale of both."""

    steps: tuple[Step, ...]
    rest: Factor
    log_scale: Floats | float


def eliminate(
    factors: Iterable[Factor],
    order: Sequence[int],
    maximized: Container[int] = (),
    keep: Container[int] | None = None,
) -> Elimination:
    """Sum nodes out in this order; those of ``maximized`` are maximized instead.

    The steps of the nodes ``keep`` are kept for the backward pass, which takes memory; all steps by default.
    """
    steps, rest, log_scale = sum_out(factors, order, maximized, keep)
    left, log_peak = product(rest)  # rescaled as it grows: many small numbers may be left
    return Elimination(tuple(steps), left, log_scale + log_peak)


def sum_out(
    factors: Iterable[Factor],
    order: Sequence[int],
    maximized: Container[int] = (),
    keep: Container[int] | None = None,
) -> tuple[list[Step], list[Factor], Floats]:
    """The same with the remaining factors not multiplied, because the product may underflow."""
    # Each factor waits at the first of its nodes to be eliminated (its bucket; Dechter, 1999), so none is looked for.
    rank = {node: index for index, node in enumerate(order)}
    waiting: dict[int, list[Factor]] = {node: [] for node in order}
    rest: list[Factor] = []

    def assign(factor: Factor) -> None:
        first = min((rank[node] for node in factor.scope if node in rank), default=None)
        (rest if first is None else waiting[order[first]]).append(factor)

    for factor in factors:
        assign(factor)
    steps, log_scale = [], np.zeros(1)
    for node in order:
        whole, log_peak = product(waiting.pop(node))
        message = _without(whole, node, is_max=node in maximized)
        if keep is None or node in keep:
            steps.append(Step(node, whole, message))
        log_scale = log_scale + log_peak
        assign(message)
    return steps, rest, log_scale


def beliefs(result: Elimination) -> dict[int, Factor]:
    """For each node that was summed out, P(the nodes of its product | e), for possible cases."""
    rank = {step.node: index for index, step in enumerate(result.steps)}
    marginals: dict[int, Factor] = {}
    for node, whole, message in reversed(result.steps):
        total = aligned(message, whole.scope)
        conditional = np.divide(whole.table, total, out=np.zeros_like(whole.table), where=total != 0)
        marginals[node] = Factor(whole.scope, conditional)
        if message.scope:
            # The message went into the product of its next node, which is wider and whose belief is known by now.
            holder = min(message.scope, key=rank.__getitem__)
            marginals[node] = joined(marginals[node], summed_to(marginals[holder], message.scope))
    return marginals


def completion(result: Elimination, cases: int) -> dict[int, Ints]:
    """For each node that was maximized out, its code in the best completion of each case; ties go to the first."""
    chosen: dict[int, Ints] = {}
    for node, whole, _ in reversed(result.steps):
        rows = np.arange(cases) if len(whole.table) == cases else np.zeros(cases, dtype=np.int64)
        table = np.moveaxis(whole.table, whole.scope.index(node) + 1, -1)
        others = tuple(chosen[other] for other in whole.scope if other != node)
        candidates = table[(rows, *others)]
        # Not argmax alone: equal products differ in the last bit with the order, and the first state is to win anyway.
        chosen[node] = (candidates >= candidates.max(axis=-1, keepdims=True) * (1.0 - TIE)).argmax(axis=-1)
    return chosen


class SlicedElimination:
    """Variable elimination for many rows of evidence, where the clique tree would be too large.

    The tables are sliced at the observed nodes first, so it needs less memory than the clique tree, which is compiled
    for any evidence. Rows with the same nodes observed go through one elimination together, so that its Python is paid
    once for all of them. Codes and likelihoods are those of ``CliqueTree``.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self._plans: dict[frozenset[int], Plan] = {}

    def log_probability(self, codes: AnyArray, likelihoods: Soft = None) -> Floats:
        """log P(row), −∞ where a row is impossible."""
        out = np.empty(len(codes))
        for group in self._chunks(codes):
            out[group.rows] = _log_total(self._result(group, likelihoods))
        return out

    def marginals(self, codes: AnyArray, likelihoods: Soft = None) -> tuple[Floats, Floats]:
        """log P(row), and the beliefs of all nodes side by side; zeros where a row is impossible."""
        spans = self.network._spans
        logs, out = np.empty(len(codes)), np.zeros((len(codes), sum(self.network.cards)))
        for group in self._chunks(codes):
            result = self._result(group, likelihoods)
            logs[group.rows] = _log_total(result)
            for node, belief in beliefs(result).items():
                marginal = np.broadcast_to(summed_to(belief, [node]).table, (len(group.rows), self.network.cards[node]))
                out[group.rows, spans[node]] = marginal
            for node, codes_seen in group.seen.items():
                out[group.rows, spans[node].start + codes_seen] = 1.0
        out[np.isneginf(logs)] = 0.0  # as the clique tree: also the observed states of an impossible row
        return logs, out

    def best(self, codes: AnyArray, likelihoods: Soft = None) -> tuple[AnyArray, Floats]:
        """The most probable completion of each row, and log P of it."""
        out, logs = np.array(codes, dtype=np.int32), np.empty(len(codes))
        for group in self._chunks(codes):
            result = self._result(group, likelihoods, is_max=True)
            logs[group.rows] = _log_total(result)
            for node, chosen in completion(result, len(group.rows)).items():
                out[group.rows, node] = chosen
        return out, logs

    def _chunks(self, codes: AnyArray) -> Iterator[Group]:
        for group in groups_of(codes):
            # At least one row at a time: whether even that is too large, `engine_for` has asked before.
            step = max(ROW_CELLS // self.plan_of(frozenset(group.seen)).largest, 1)
            for start in range(0, len(group.rows), step):
                part = slice(start, start + step)
                yield Group(group.rows[part], {node: observed[part] for node, observed in group.seen.items()})

    def plan_of(self, seen: frozenset[int]) -> Plan:
        """The order in which all nodes but the observed ones are eliminated."""
        if seen not in self._plans:
            scopes = [[node for node in axes if node not in seen] for axes in self.network.families]
            free = [node for node in range(len(self.network.nodes)) if node not in seen]
            self._plans[seen] = plan(scopes, self.network.cards, free)
        return self._plans[seen]

    def _result(self, group: Group, likelihoods: Soft, *, is_max: bool = False) -> Elimination:
        factors = sliced(self.network.factors, self.network.families, group.seen)
        for node, weights in (likelihoods or {}).items():
            rows = np.asarray(weights)[group.rows]
            if node in group.seen:
                factors.append(Factor((), rows[np.arange(len(rows)), group.seen[node]]))
            else:
                factors.append(Factor((node,), rows))
        order = self.plan_of(frozenset(group.seen)).order
        return eliminate(factors, order, frozenset(order if is_max else ()))


def _without(factor: Factor, node: int, *, is_max: bool) -> Factor:
    axis = factor.scope.index(node) + 1
    table: AnyArray = factor.table.max(axis=axis) if is_max else factor.table.sum(axis=axis)
    return Factor(tuple(other for other in factor.scope if other != node), table)


@lru_cache(maxsize=256)
def _plan(scopes: tuple[tuple[int, ...], ...], cards: tuple[int, ...], groups: tuple[tuple[int, ...], ...]) -> Plan:
    # The moral graph: a mask of neighbours for each node, which shares a table with each of them.
    beside: dict[int, int] = {}
    for scope in scopes:
        whole = mask_of(scope)
        for node in scope:
            beside[node] = (beside.get(node, 0) | whole) & ~(1 << node)
    order: list[int] = []
    largest, cells, widest = 1, 0, 0
    for group in groups:
        waiting = {node: _rank(node, beside, cards) for node in group}
        while waiting:
            # The index last: the same net then has the same order, and so the same rounding, in every process.
            node = min(waiting, key=lambda index: (waiting[index], index))
            del waiting[node]
            order.append(node)
            inside = beside.get(node, 0) | 1 << node
            size = prod(cards[other] for other in bits(inside))
            cells += size
            if size > largest or not widest:  # also where the first product has a single entry
                largest, widest = size, inside
            for changed in bits(_eliminate(node, beside)):
                if changed in waiting:
                    waiting[changed] = _rank(changed, beside, cards)
    return Plan(tuple(order), largest, cells, prod(cards[node] for node in beside), tuple(bits(widest)))


def _rank(node: int, beside: Mapping[int, int], cards: Sequence[int]) -> tuple[int, int]:
    """Twice the number of pairs of neighbours that are not joined, and the size of the product (Kjærulff, 1990)."""
    around = beside.get(node, 0)
    missing, size = 0, cards[node]
    for other in bits(around):
        missing += (around & ~beside[other]).bit_count() - 1  # less one: no node is its own neighbour
        size *= cards[other]
    return missing, size


def _eliminate(node: int, beside: dict[int, int]) -> int:
    """Join the neighbours of a node and take it out; give the nodes whose rank that may have changed."""
    around = beside.pop(node, 0)
    changed = around
    for other in bits(around):
        fresh = around & ~beside[other] & ~(1 << other)
        if fresh:  # a new edge also closes a pair for the common neighbours of its ends
            changed |= beside[other]
        beside[other] = (beside[other] | around) & ~(1 << other) & ~(1 << node)
    return changed & ~(1 << node)


def _log_total(result: Elimination) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(result.rest.table) + result.log_scale
