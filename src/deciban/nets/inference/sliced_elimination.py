"""The clique tree's readable twin: variable elimination over sliced tables, in NumPy.

Rows with the same nodes observed go through one elimination together, so that its Python is paid once for all of them.
See ``elimination`` for the two passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Self

import numpy as np

from deciban.nets.inference.elimination import (
    Cost,
    Elimination,
    Factor,
    Plan,
    beliefs,
    check_size,
    completion,
    eliminate,
    plan,
    sliced,
    summed_to,
)
from deciban.nets.inference.grouping import Group, groups_of
from deciban.nets.network import Network
from deciban.types import AnyArray, Floats, Ints

__all__ = ["Reference"]


_CELLS = 1 << 20
"""Entries of the largest product that rows may take together."""

Soft = Mapping[int, Floats] | None


class Reference:
    """Answers for many rows at once; made by ``compile``."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self._plans: dict[frozenset[int], Plan] = {}

    @property
    def cost(self) -> Cost:
        """What it takes when nothing is observed."""
        return self.plan_of(frozenset()).cost(self.network.nodes)

    @classmethod
    def compile(cls, network: Network, *, limit: int | None = None) -> Self:
        """Find an order; an error says how much memory it would need where that is above ``limit`` bytes."""
        made = cls(network)
        check_size(made.plan_of(frozenset()).cells, "this net", limit)
        return made

    def log_probability(self, codes: AnyArray, likelihoods: Soft = None) -> Floats:
        """log P(row), −∞ where a row is impossible."""
        out = np.empty(len(codes))
        for group in self._chunks(codes):
            out[group.rows] = _log_total(self._result(group, likelihoods))
        return out

    def marginals(self, codes: AnyArray, likelihoods: Soft = None) -> tuple[Floats, Floats]:
        """log P(row), and the beliefs of all nodes side by side; zeros where a row is impossible."""
        logs, out = np.empty(len(codes)), np.zeros((len(codes), int(self._starts[-1])))
        for group in self._chunks(codes):
            result = self._result(group, likelihoods)
            logs[group.rows] = _log_total(result)
            for node, belief in beliefs(result).items():
                own = np.broadcast_to(summed_to(belief, [node]).table, (len(group.rows), self.network.cards[node]))
                out[group.rows, self._starts[node] : self._starts[node + 1]] = own
            for node, held in group.seen.items():
                out[group.rows, self._starts[node] + held] = 1.0
        out[np.isneginf(logs)] = 0.0
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

    def expected_counts(self, codes: AnyArray, weights: Floats | None = None) -> tuple[list[Floats], float]:
        """Σ w·P(family | row) in the shape of each table, and Σ w·log P(row)."""
        weights = np.ones(len(codes)) if weights is None else weights
        counts = [np.zeros(table.shape) for table in self.network.factors]
        total = 0.0
        for group in self._chunks(codes):
            result = self._result(group, None)
            logs = np.broadcast_to(_log_total(result), len(group.rows))
            counted = weights[group.rows] > 0
            total += float(weights[group.rows][counted] @ logs[counted])
            share = np.where(np.isneginf(logs), 0.0, weights[group.rows])
            found = beliefs(result)
            rank = {step.node: index for index, step in enumerate(result.steps)}
            for count, axes in zip(counts, self.network.families, strict=True):
                free = [node for node in axes if node in rank]
                holder = found[min(free, key=rank.__getitem__)] if free else Factor((), np.ones(1))
                _add(count, axes, summed_to(holder, free), group.seen, share)
        return counts, total

    @cached_property
    def _starts(self) -> Ints:
        return np.concatenate([[0], np.cumsum(self.network.cards)])

    def _chunks(self, codes: AnyArray) -> Iterator[Group]:
        for group in groups_of(codes):
            step = max(_CELLS // self.plan_of(frozenset(group.seen)).largest, 1)
            for start in range(0, len(group.rows), step):
                part = slice(start, start + step)
                yield Group(group.rows[part], {node: held[part] for node, held in group.seen.items()})

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


def _log_total(result: Elimination) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(result.rest.table) + result.log_scale


def _add(count: Floats, axes: tuple[int, ...], belief: Factor, seen: Mapping[int, Ints], share: Floats) -> None:
    """Add each row's probabilities of a family to the family's table, at the codes that were observed in it."""
    rows = len(share)
    table = np.broadcast_to(belief.table, (rows, *belief.table.shape[1:]))
    table = table * share.reshape(rows, *(1 for _ in belief.scope))
    known = [axis for axis, node in enumerate(axes) if node in seen]
    free = sorted((axis for axis, node in enumerate(axes) if node not in seen), key=axes.__getitem__)
    transposed = count.transpose(*known, *free)
    if known:
        np.add.at(transposed, tuple(seen[axes[axis]] for axis in known), table)
    else:
        transposed += table.sum(axis=0)
