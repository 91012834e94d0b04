"""The ID algorithm: every identifiable effect, by c-factors.

Let Q[S] be the distribution of S when everything else is set by action. The joint distribution is the product of Q[S]
over the c-components S, each of which observation gives:

  Q[S] = Π_{v ∈ S} P(v | what comes before v)

and with D = the ancestors of y once x is cut out, P(y | do(x)) = Σ_{D∖y} Π Q[Dᵢ] over the c-components Dᵢ of D. Each
Q[Dᵢ] is looked for inside the Q[S] around it: what is no ancestor is summed out, and what falls into c-components is
divided out, in turn (Tian and Pearl, 2002). Where neither is possible, the two sets are a *hedge*: models exist that
agree in all that can be observed and differ in the effect, so the algorithm finds whatever can be found (Shpitser and
Pearl, 2006; Huang and Valtorta, 2006).
"""

from __future__ import annotations

from dataclasses import dataclass

from deciban.errors import NotIdentifiedError
from deciban.nets.causal.identification.graphs import CausalGraph
from deciban.nets.causal.identification.terms import Term, divide, multiply, probability, sum_out, tidy
from deciban.nets.graphs.bits import bits

__all__ = ["Hedge", "HedgeError", "conditional_effect", "joint_effect"]


@dataclass(frozen=True)
class Hedge:
    """Two c-components, one inside the other, whose nodes are all ancestors of the smaller."""

    inner: int
    outer: int


class HedgeError(NotIdentifiedError):
    """An effect is not identified, with the hedge that shows it."""

    def __init__(self, hedge: Hedge) -> None:
        super().__init__("the effect is not identified")
        self.hedge = hedge


def joint_effect(g: CausalGraph, x: int, y: int) -> Term:
    """P(y | do(x)) as a formula of what is observed; a ``HedgeError`` if it is not identified."""
    whole = g.ancestors(y, g.observed)
    needed = g.ancestors(y, whole & ~x)
    parts = []
    for part in g.districts(needed):
        around = next(one for one in g.districts(whole) if one & part)
        found = _identify(g, part, around, _observed_factor(g, around, whole))
        parts.append(_closed(g, found, needed | x))
    return tidy(sum_out(g.ordered(needed & ~y), multiply(parts)))


def conditional_effect(g: CausalGraph, x: int, y: int, given: int) -> Term:
    """P(y | do(x), given): IDC (Shpitser and Pearl, 2006).

    What is observed may be taken as set by action where rule 2 of the do-calculus allows it; once it allows no more,
    the conditional effect is identified exactly where the joint effect on y and the rest is.
    """
    for node in bits(given):
        one = 1 << node
        if g.separated(y, one, x | (given & ~one), into=x, out_of=one):
            return conditional_effect(g, x | one, y, given & ~one)
    joint = joint_effect(g, x, y | given)
    return divide(joint, sum_out(g.ordered(y), joint)) if given else joint


def _observed_factor(g: CausalGraph, district: int, whole: int) -> Term:
    """Q[S] of a c-component of the graph on an ancestral set."""
    return multiply(_given_before(g, node, whole) for node in g.order if district >> node & 1)


def _given_before(g: CausalGraph, node: int, whole: int) -> Term:
    """P(v | what comes before), of which only v's c-component so far and its parents matter."""
    index = g.order.index(node)
    so_far = sum(1 << one for one in g.order[: index + 1]) & whole
    district = next(part for part in g.districts(so_far) if part >> node & 1)
    around = district
    for one in bits(district):
        around |= g.parents[one]
    return probability([g.dag.nodes[node]], g.ordered(around & ~(1 << node)))


def _identify(g: CausalGraph, inner: int, outer: int, factor: Term) -> Term:
    """Q[inner] from Q[outer]."""
    above = g.ancestors(inner, outer)
    if above == inner:
        return sum_out(g.ordered(outer & ~inner), factor)
    if above == outer:
        raise HedgeError(Hedge(inner, outer))
    smaller = sum_out(g.ordered(outer & ~above), factor)
    district = next(part for part in g.districts(above) if part & inner)
    return _identify(g, inner, district, _part_of(g, district, above, smaller))


def _part_of(g: CausalGraph, district: int, whole: int, factor: Term) -> Term:
    """Q[district] from Q[whole]: the product of the steps Q[v and what is before it] / Q[what is before it]."""
    order = [node for node in g.order if whole >> node & 1]
    parts = []
    for index, node in enumerate(order):
        if district >> node & 1:
            later = [g.dag.nodes[one] for one in order[index + 1 :]]
            here = sum_out(later, factor)
            parts.append(divide(here, sum_out([g.dag.nodes[node]], here)))
    return multiply(parts)


def _closed(g: CausalGraph, factor: Term, known: int) -> Term:
    """A factor whose value does not depend on some variables that its formula names: their average."""
    idle = factor.free - g.dag._names(known)
    return sum_out(idle, multiply([probability(idle), factor])) if idle else factor
