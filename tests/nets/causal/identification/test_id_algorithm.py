"""The ID algorithm says yes exactly where it should: held against a second definition on every small graph."""

import itertools

import pytest

import deciban as db
from deciban.nets.causal.causal_graph import CausalGraph
from deciban.nets.causal.identification import HedgeError, joint_effect
from deciban.nets.graphs.bits import bits, components, reach
from tests.nets.causal.models import admgs, subsets


def is_found(g, x, y):
    try:
        joint_effect(g, x, y)
    except HedgeError:
        return False
    return True


def has_hedge(g, x, y):
    """The definition of Shpitser and Pearl (2006), over all pairs of sets.

    A hedge for P(y | do(x)) are two forests joined by ↔ with the same roots, one inside the other, of which only the
    larger meets x; the roots are ancestors of y when the arrows into x are cut. The roots may be all of the smaller.
    """
    everyone = [1 << node for node in bits(g.observed)]
    cut = [0 if x >> node & 1 else mask for node, mask in enumerate(g.parents)]
    near = y | reach(cut, y)

    def joined(some):
        return len(components([mask & some for mask in g.spouses], some)) == 1

    def above(some, within):
        return some | reach([mask & within if within >> node & 1 else 0 for node, mask in enumerate(g.parents)], some)

    for inner in map(sum, subsets(node for node in everyone if node & near & ~x)):
        if inner and joined(inner):
            for rest in map(sum, subsets(node for node in everyone if not node & inner)):
                if rest & x and joined(inner | rest) and above(inner, inner | rest) == inner | rest:
                    return True
    return False


@pytest.mark.parametrize("count", [2, 3])
def test_an_effect_is_found_where_there_is_no_hedge_and_only_there(count):
    for dag, confounded in admgs(count):
        g = CausalGraph.read(dag, (), confounded)
        for x, y in itertools.permutations(range(count), 2):
            assert is_found(g, 1 << x, 1 << y) != has_hedge(g, 1 << x, 1 << y), (dag, confounded, x, y)


def test_also_on_graphs_of_four_nodes():
    for number, (dag, confounded) in enumerate(admgs(4)):
        if number % 3 == 0 or len(confounded) == 3:
            g = CausalGraph.read(dag, (), confounded)
            for x, y in ((0, 3), (1, 3), (0, 2), (0b11, 3), (1, 2)):
                cause = 1 << x if x != 0b11 else 0b11
                assert is_found(g, cause, 1 << y) != has_hedge(g, cause, 1 << y), (dag, confounded, x, y)


def test_one_cause_and_all_effects():
    """Tian and Pearl (2002), theorem 3: P(v | do(x)) is identified unless ↔ join x to one of its children."""
    for dag, confounded in admgs(4):
        g = CausalGraph.read(dag, (), confounded)
        for x in range(4):
            district = next(part for part in g.districts(0b1111) if part >> x & 1)
            assert is_found(g, 1 << x, 0b1111 & ~(1 << x)) == (not district & g.dag._child_masks[x])


# The graphs that textbooks name (Pearl, "Causality", chapter 3; Pearl and Mackenzie, "The Book of Why", chapter 7).
IDENTIFIED = {
    "an arrow": ("x→y", ""),
    "the back door": ("z→x z→y x→y", ""),
    "the back door behind a hidden cause": ("z→x x→y", "z↔y"),
    "the front door": ("x→z z→y", "x↔y"),
    "the front door beside a back door": ("x→z z→y w→x w→y w→z", "x↔y"),
    "the napkin": ("w→z z→x x→y", "w↔x w↔y"),
    "M": ("x→y", "x↔m m↔y"),
    "a cause of the effect that shares a cause with x": ("x→y z→y", "x↔z"),
    "two mediators": ("x→z z→y x→w w→y", "x↔y"),
}
NOT_IDENTIFIED = {
    "the bow": ("x→y", "x↔y"),
    "the instrument": ("z→x x→y", "x↔y"),
    "a confounded mediator": ("x→z z→y", "x↔z"),
    "a front door whose mediator shares a cause with the effect": ("x→z z→y", "x↔y z↔y"),
    "a confounder that is itself confounded": ("z→x x→y z→y", "x↔z z↔y"),
    "a confounded mediator beside an arrow": ("x→z z→y x→y", "x↔z"),
    "confounding in two steps": ("x→z z→y w→y", "x↔w w↔z"),
}


def read(arrows, joined):
    pairs = [tuple(edge.split("→")) for edge in arrows.split()]
    confounded = [tuple(edge.split("↔")) for edge in joined.split()]
    return db.DAG(pairs, ["x", "y", *sorted({node for pair in confounded for node in pair} - {"x", "y"})]), confounded


@pytest.mark.parametrize("name", IDENTIFIED)
def test_known_effects_that_can_be_told(name):
    graph, confounded = read(*IDENTIFIED[name])
    assert db.identify(graph, cause="x", effect="y", confounded=confounded)


@pytest.mark.parametrize("name", NOT_IDENTIFIED)
def test_known_effects_that_cannot(name):
    graph, confounded = read(*NOT_IDENTIFIED[name])
    found = db.identify(graph, cause="x", effect="y", confounded=confounded)
    assert not found
    inner, outer = found.hedge
    assert inner < outer and "x" in outer and "x" not in inner


def test_given_what_is_in_between_an_effect_may_be_told():
    """Shpitser and Pearl (2008): P(y | do(x)) is not identified here, but P(y | do(x), z) is."""
    graph = db.DAG([("x", "z"), ("z", "y")])
    assert not db.identify(graph, cause="x", effect="y", confounded=[("x", "z")])
    assert db.identify(graph, cause="x", effect="y", given="z", confounded=[("x", "z")]).estimand.formula == "P(y | z)"


def test_the_napkin_averages_over_what_its_formula_names_and_does_not_need():
    graph, confounded = read(*IDENTIFIED["the napkin"])
    shown = db.identify(graph, cause="x", effect="y", confounded=confounded).estimand.formula
    assert shown == "Σ_z P(z) [Σ_w P(w) P(x, y | w, z)] / [Σ_w P(w) P(x | w, z)]"


def test_models_that_agree_on_everything_observed_differ_in_the_effect():
    """The bow: all goes by the hidden cause, or all by the arrow; the survey looks the same."""
    g = db.DAG([("u", "x"), ("u", "y"), ("x", "y")])
    states = dict.fromkeys(g.nodes, (0, 1))
    half, copied = [0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]]
    by_hidden = {"u": half, "x": [[1, 0], [0, 1]], "y": [[row, row] for row in copied]}
    by_arrow = {"u": half, "x": [half, half], "y": [copied, copied]}
    nets = [db.BayesNet.from_tables(g, states, tables, parents={"y": ("u", "x")}) for tables in (by_hidden, by_arrow)]
    seen = [net.query(["x", "y"]).array for net in nets]
    done = [net.do({"x": 1}).query("y").as_array() for net in nets]
    assert seen[0] == pytest.approx(seen[1])
    assert done[0].tolist() == pytest.approx([0.5, 0.5])
    assert done[1].tolist() == pytest.approx([0.1, 0.9])
    assert not db.identify(g, cause="x", effect="y", latent="u")
