"""The front door: an effect told from what carries it, where its causes are hidden.

  P(y | do(x)) = Σ_z P(z | x) Σ_x′ P(y | x′, z) P(x′)

holds where (1) every directed path from x to y goes through Z, (2) no back-door path from x to Z is open, and (3) x
blocks every back-door path from Z to y (Pearl, 1995; for sets, Jeong, Tian and Bareinboim, 2022). What smoking does
through tar is the effect of smoking on tar, which nothing confounds, followed by that of tar on cancer, for which
smoking is the adjustment.
"""

from __future__ import annotations

from itertools import combinations, islice

from deciban.nets.bits import bits, mask_of, reach
from deciban.nets.causal.graphs import CausalGraph

__all__ = ["front_doors", "is_front_door"]

_MOST_TRIED = 20_000


def is_front_door(g: CausalGraph, x: int, y: int, z: int) -> bool:
    """Whether z satisfies the front-door criterion."""
    if z & (x | y | g.hidden):
        return False
    leaks = reach([mask & ~z for mask in g.dag.child_masks], x) & y
    return not leaks and g.separated(x, z, out_of=x) and g.separated(z, y, x, out_of=z)


def front_doors(g: CausalGraph, x: int, y: int) -> list[int]:
    """The front-door sets none of whose parts is one, the smaller first, among the first ``_MOST_TRIED`` sets."""
    fit = [node for node in bits(g.observed & ~x & ~y) if g.separated(x, 1 << node, out_of=x)]
    if not reach(g.dag.child_masks, x) & y or reach([mask & ~mask_of(fit) for mask in g.dag.child_masks], x) & y:
        return []
    found: list[int] = []
    sets = (mask_of(some) for size in range(1, len(fit) + 1) for some in combinations(fit, size))
    for z in islice(sets, _MOST_TRIED):
        if not any(z & one == one for one in found) and is_front_door(g, x, y, z):
            found.append(z)
    return found
