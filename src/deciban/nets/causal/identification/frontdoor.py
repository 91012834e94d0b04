"""The front-door criterion: an effect identified through its mediators, with hidden common causes.

  P(y | do(x)) = Σ_z P(z | x) Σ_x′ P(y | x′, z) P(x′)

holds if (1) every directed path from x to y goes through Z, (2) no back-door path from x to Z is open, and (3) x
blocks every back-door path from Z to y (Pearl, 1995; for sets, Jeong, Tian and Bareinboim, 2022). The
effect of smoking through tar is the effect of smoking on tar, which is not confounded, times that of tar on cancer,
adjusted for smoking.
"""

from __future__ import annotations

from itertools import combinations, islice

from deciban.nets.causal.identification.graphs import CausalGraph
from deciban.nets.graphs.bits import bits, mask_of, reach
from deciban.nets.graphs.separation import reached

__all__ = ["front_doors", "is_front_door"]

_MOST_TRIED = 5_000


def is_front_door(g: CausalGraph, x: int, y: int, z: int) -> bool:
    """Whether z satisfies the front-door criterion."""
    if z & (x | y | g.hidden):
        return False
    leaks = reach([mask & ~z for mask in g.dag._child_masks], x) & y
    return not leaks and g.separated(x, z, out_of=x) and g.separated(z, y, x, out_of=z)


def front_doors(g: CausalGraph, x: int, y: int) -> list[int]:
    """The minimal front-door sets, the smaller first, among the first ``_MOST_TRIED`` sets."""
    widest = _widest(g, x, y)
    children = g.dag._child_masks
    if not reach(children, x) & y or reach([mask & ~widest for mask in children], x) & y:
        return []
    # A minimal set has only ancestors of y: condition 2 already blocks what other members would block.
    fit = list(bits(widest & reach(g.dag._parent_masks, y)))
    found: list[int] = []
    sets = (mask_of(some) for size in range(1, len(fit) + 1) for some in combinations(fit, size))
    for z in islice(sets, _MOST_TRIED):
        if not any(z & one == one for one in found) and is_front_door(g, x, y, z):
            found.append(z)
    return found


def _widest(g: CausalGraph, x: int, y: int) -> int:
    """The set that holds all sets with conditions 2 and 3, and has them itself.

    A member with an open back-door path to y keeps it in every smaller set, where fewer arrows are cut.
    """
    cut = g.cut(out_of=x)
    widest = g.observed & ~x & ~y & ~reached(cut, x, 0)
    while leaking := widest & reached(g.cut(out_of=widest), y, x):
        widest &= ~leaking
    return widest
