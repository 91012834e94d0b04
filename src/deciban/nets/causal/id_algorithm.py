"""The ID algorithm: every identifiable effect, by c-factors.

Let Q[S] be the distribution of S under an intervention on all other variables. The joint distribution is the product of
Q[S] over the c-components S, each of which is identified:

  Q[S] = Π_{v ∈ S} P(v | predecessors of v)

and with D = the ancestors of y in the graph without x, P(y | do(x)) = Σ_{D∖y} Π Q[Dᵢ] over the c-components Dᵢ of D.
Each Q[Dᵢ] is computed from the Q[S] of the c-component S that contains it: non-ancestors are summed out and
c-components are divided out, alternately (Tian and Pearl, 2002). If neither is possible, the two sets are a *hedge*:
there are models with the same observational distribution and different effects, so the algorithm is complete (Shpitser
and Pearl, 2006; Huang and Valtorta, 2006).
"""

from __future__ import annotations

from dataclasses import dataclass

from deciban.errors import NotIdentifiedError
from deciban.nets.causal.causal_graph import CausalGraph
from deciban.nets.causal.terms import Term, divide, multiply, probability, sum_out, tidy
from deciban.nets.graphs.bits import bits

__all__ = ["Hedge", "HedgeError", "conditional_effect", "joint_effect"]


@dataclass(frozen=True)
class Hedge:
    """Two c-components, one inside the other, whose nodes are all ancestors of the smaller."""

    inner: int
    outer: int


class HedgeError(NotIdentifiedError):
    """The effect is not identified; ``hedge`` proves it."""

    def __init__(self, hedge: Hedge) -> None:
        super().__init__("the effect is not identified")
        self.hedge = hedge


def joint_effect(g: CausalGraph, x: int, y: int) -> Term:
    """P(y | do(x)) as a formula of observed variables; a ``HedgeError`` if it is not identified."""
    # ID, line 2 (Shpitser and Pearl 2006): nodes that are not ancestors of y are summed out.
    whole = g.ancestors(y, g.observed)
    # Line 3: without the arrows into x, what is no ancestor of y may be set too.
    needed = g.ancestors(y, whole & ~x)
    parts = []
    # Line 4: P(y | do(x)) is a sum of products over the c-components without x; each is identified by itself.
    for part in g.districts(needed):
        around = next(one for one in g.districts(whole) if one & part)
        factor = _identify(g, part, around, _observed_factor(g, around, whole))
        parts.append(_closed(g, factor, needed | x))
    return tidy(sum_out(g.ordered(needed & ~y), multiply(parts)))


def conditional_effect(g: CausalGraph, x: int, y: int, given: int) -> Term:
    """P(y | do(x), given): IDC (Shpitser and Pearl, 2006).

    Observations are replaced by interventions while rule 2 of the do-calculus allows it. Then the conditional effect is
    identified if and only if the joint effect on y and the remaining observations is.
    """
    for node in bits(given):
        one = 1 << node
        # Rule 2: P(y | do(x), z, w) = P(y | do(x), do(z), w) if y ⊥ z | x, w without the arrows into x and out of z
        # (Pearl 1995). By one node at a time, in any order (Shpitser and Pearl 2006, IDC).
        if g.separated(y, one, x | (given & ~one), into=x, out_of=one):
            return conditional_effect(g, x | one, y, given & ~one)
    joint = joint_effect(g, x, y | given)
    return divide(joint, sum_out(g.ordered(y), joint)) if given else joint


def _observed_factor(g: CausalGraph, district: int, whole: int) -> Term:
    """Q[S] of a c-component of the graph on an ancestral set (ID, line 6)."""
    return multiply(_given_before(g, node, whole) for node in g.order if district >> node & 1)


def _given_before(g: CausalGraph, node: int, whole: int) -> Term:
    """P(v | predecessors of v), which depends only on v's c-component among them and its parents."""
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
    # Tian and Pearl (2002), with A = the ancestors of C in T. A = C: what else is in T can be summed out.
    if above == inner:
        return sum_out(g.ordered(outer & ~inner), factor)
    # A = T: neither step makes T smaller, and the two sets form a hedge (ID, line 5).
    if above == outer:
        raise HedgeError(Hedge(inner, outer))
    # Else go on in the c-component of A that contains C, which is smaller (ID, line 7).
    smaller = sum_out(g.ordered(outer & ~above), factor)
    district = next(part for part in g.districts(above) if part & inner)
    return _identify(g, inner, district, _part_of(g, district, above, smaller))


def _part_of(g: CausalGraph, district: int, whole: int, factor: Term) -> Term:
    """Q[district] from Q[whole]: the product of Q[v and its predecessors] / Q[its predecessors]."""
    order = [node for node in g.order if whole >> node & 1]
    parts = []
    for index, node in enumerate(order):
        if district >> node & 1:
            later = [g.dag.nodes[one] for one in order[index + 1 :]]
            here = sum_out(later, factor)
            parts.append(divide(here, sum_out([g.dag.nodes[node]], here)))
    return multiply(parts)


def _closed(g: CausalGraph, factor: Term, known: int) -> Term:
    """Average a factor over variables that its formula names but its value does not depend on."""
    idle = factor.free - g.dag._names(known)
    return sum_out(idle, multiply([probability(idle), factor])) if idle else factor
