"""Variable elimination: one pass for a probability, a second one back for all beliefs or the best completion.

Eliminating v multiplies the factors that hold it into a product ψ and hands Σ_v ψ on:

    P(e) = Σ_{v₁} … Σ_{vₙ} Π φ          (Zhang and Poole, 1994; bucket elimination, Dechter, 1999)

Each step also says how v depends on what is left, P(v | rest of ψ, e) = ψ / Σ_v ψ. So going back, last node first,
multiplies beliefs out of conditional ones (two passes through the tree of products; Lauritzen and Spiegelhalter, 1988):

    P(ψ's nodes | e) = P(v | the others, e) · P(the others | e)

With max in place of Σ the way back reads off the most probable completion. Products are rescaled case by case before
they vanish, and the logarithms of the scales add up to log P(e).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from deciban.nets.inference.trees.factor import Factor, aligned, joined, product, summed_to
from deciban.types import AnyArray, Floats, Ints

__all__ = ["Passed", "Step", "beliefs", "completion", "eliminate", "sum_out"]


class Step(NamedTuple):
    """A node, the product that it was eliminated from, and what was left of it."""

    node: int
    product: Factor
    message: Factor


class Passed(NamedTuple):
    """The steps, the product of what is left, and the logarithm of what both must be multiplied by."""

    steps: tuple[Step, ...]
    rest: Factor
    log_scale: Floats | float


def eliminate(
    factors: Iterable[Factor],
    order: Sequence[int],
    maximized: Container[int] = (),
    keep: Container[int] | None = None,
) -> Passed:
    """Sum nodes out in this order; those of ``maximized`` are maximized out.

    The steps of the nodes ``keep`` are kept for the way back, which takes memory; all steps where it is not given.
    """
    steps, rest, log_scale = sum_out(factors, order, maximized, keep)
    left, log_peak = product(rest)
    return Passed(tuple(steps), left, log_scale + log_peak)


def sum_out(
    factors: Iterable[Factor],
    order: Sequence[int],
    maximized: Container[int] = (),
    keep: Container[int] | None = None,
) -> tuple[list[Step], list[Factor], Floats]:
    """The same with what is left not yet multiplied, which may be too small a number for that."""
    rank = {node: place for place, node in enumerate(order)}
    waiting: dict[int, list[Factor]] = {node: [] for node in order}
    rest: list[Factor] = []

    def hand_on(factor: Factor) -> None:
        first = min((rank[node] for node in factor.scope if node in rank), default=None)
        (rest if first is None else waiting[order[first]]).append(factor)

    for factor in factors:
        hand_on(factor)
    steps, log_scale = [], np.zeros(1)
    for node in order:
        whole, log_peak = product(waiting.pop(node))
        message = _without(whole, node, is_max=node in maximized)
        if keep is None or node in keep:
            steps.append(Step(node, whole, message))
        log_scale = log_scale + log_peak
        hand_on(message)
    return steps, rest, log_scale


def beliefs(passed: Passed) -> dict[int, Factor]:
    """For each node that was summed out, P(the nodes of its product | e), for cases that are possible."""
    rank = {step.node: place for place, step in enumerate(passed.steps)}
    found: dict[int, Factor] = {}
    for node, whole, message in reversed(passed.steps):
        below = aligned(message, whole.scope)
        conditional = np.divide(whole.table, below, out=np.zeros_like(whole.table), where=below != 0)
        found[node] = Factor(whole.scope, conditional)
        if message.scope:
            holder = min(message.scope, key=rank.__getitem__)
            found[node] = joined(found[node], summed_to(found[holder], message.scope))
    return found


def completion(passed: Passed, cases: int) -> dict[int, Ints]:
    """For each node that was maximized out, its code in the best completion of each case; ties go to the first."""
    chosen: dict[int, Ints] = {}
    for node, whole, _ in reversed(passed.steps):
        rows = np.arange(cases) if len(whole.table) == cases else np.zeros(cases, dtype=np.int64)
        at = whole.scope.index(node) + 1
        table = np.moveaxis(whole.table, at, -1)
        others = tuple(chosen[other] for other in whole.scope if other != node)
        chosen[node] = table[(rows, *others)].argmax(axis=-1)
    return chosen


def _without(factor: Factor, node: int, *, is_max: bool) -> Factor:
    axis = factor.scope.index(node) + 1
    table: AnyArray = factor.table.max(axis=axis) if is_max else factor.table.sum(axis=axis)
    return Factor(tuple(other for other in factor.scope if other != node), table)
