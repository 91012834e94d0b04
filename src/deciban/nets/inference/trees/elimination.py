"""Variable elimination: one pass for a probability, a backward pass for all marginals or the best completion.

Eliminating v multiplies the factors that contain it into a product ψ and replaces them by Σ_v ψ:

    P(e) = Σ_{v₁} … Σ_{vₙ} Π φ          (Zhang and Poole, 1994; bucket elimination, Dechter, 1999)

Each step also gives P(v | rest of ψ, e) = ψ / Σ_v ψ. So the backward pass, last node first, multiplies these
conditionals to the marginals (two passes through the tree of products; Lauritzen and Spiegelhalter, 1988):

    P(ψ's nodes | e) = P(v | the others, e) · P(the others | e)

With max instead of Σ the backward pass gives the most probable completion. Products are rescaled case by case before
they underflow, and the logarithms of the scales are added to log P(e).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from deciban.nets.inference.trees.factor import Factor, aligned, joined, product, summed_to
from deciban.ties import TIE
from deciban.types import AnyArray, Floats, Ints

__all__ = ["Elimination", "Step", "beliefs", "completion", "eliminate", "sum_out"]


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
    left, log_peak = product(rest)
    return Elimination(tuple(steps), left, log_scale + log_peak)


def sum_out(
    factors: Iterable[Factor],
    order: Sequence[int],
    maximized: Container[int] = (),
    keep: Container[int] | None = None,
) -> tuple[list[Step], list[Factor], Floats]:
    """The same with the remaining factors not multiplied, because the product may underflow."""
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
    found: dict[int, Factor] = {}
    for node, whole, message in reversed(result.steps):
        total = aligned(message, whole.scope)
        conditional = np.divide(whole.table, total, out=np.zeros_like(whole.table), where=total != 0)
        found[node] = Factor(whole.scope, conditional)
        if message.scope:
            holder = min(message.scope, key=rank.__getitem__)
            found[node] = joined(found[node], summed_to(found[holder], message.scope))
    return found


def completion(result: Elimination, cases: int) -> dict[int, Ints]:
    """For each node that was maximized out, its code in the best completion of each case; ties go to the first."""
    chosen: dict[int, Ints] = {}
    for node, whole, _ in reversed(result.steps):
        rows = np.arange(cases) if len(whole.table) == cases else np.zeros(cases, dtype=np.int64)
        table = np.moveaxis(whole.table, whole.scope.index(node) + 1, -1)
        others = tuple(chosen[other] for other in whole.scope if other != node)
        found = table[(rows, *others)]
        chosen[node] = (found >= found.max(axis=-1, keepdims=True) * (1.0 - TIE)).argmax(axis=-1)
    return chosen


def _without(factor: Factor, node: int, *, is_max: bool) -> Factor:
    axis = factor.scope.index(node) + 1
    table: AnyArray = factor.table.max(axis=axis) if is_max else factor.table.sum(axis=axis)
    return Factor(tuple(other for other in factor.scope if other != node), table)
