"""From an oracle exactly the class of its graph; from data a valid class, whatever the order of columns and threads."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import InputError, ParameterError
from deciban.nets import FisherZ, GSquared
from deciban.nets.discovery.discover import _reporting
from deciban.nets.discovery.skeleton import Step, engine_of
from deciban.nets.independence.independence_test import SourceFacts
from tests.nets.named_graphs import ASIA, SPRINKLER, dags, random_dag, read_structure
from tests.nets.poor_tables import MANY_STATES, POOR_TABLES

QUICK = (
    "alarm asia barley cancer child earthquake hailfinder hepar2 insurance mildew sachs survey water win95pts".split()
)
LARGE = "munin1 pathfinder andes pigs diabetes".split()


def sprinkler(rows=4000, seed=0):
    """Pearl's five variables, drawn."""
    rng = np.random.default_rng(seed)
    season = rng.integers(0, 4, rows)
    rain = rng.random(rows) < np.array([0.1, 0.3, 0.6, 0.8])[season]
    sprinkles = rng.random(rows) < np.array([0.8, 0.5, 0.2, 0.1])[season]
    wet = rng.random(rows) < np.where(rain & sprinkles, 0.99, np.where(rain | sprinkles, 0.9, 0.05))
    slippery = rng.random(rows) < np.where(wet, 0.8, 0.05)
    columns = {"season": season, "rain": rain, "sprinkler": sprinkles, "wet": wet, "slippery": slippery}
    return pd.DataFrame({name: column.astype(int) for name, column in columns.items()})


@settings(max_examples=60)
@given(dags(2, 7), st.sampled_from(["pc", "ic"]))
def test_an_oracle_gives_its_class(dag, method):
    assert db.discover(db.Oracle(dag), method=method).graph == dag.cpdag()


@settings(max_examples=25)
@given(st.integers(10, 30), st.integers(0, 10_000))
def test_an_oracle_of_some_size_gives_its_class(count, seed):
    dag = random_dag(np.random.default_rng(seed), count, 1.5)
    assert db.discover(db.Oracle(dag)).graph == dag.cpdag()


@pytest.mark.parametrize("name", [*QUICK, *LARGE])
def test_the_known_networks(shared_data, name):
    dag = read_structure(shared_data / "nets" / f"{name}.bif.gz")
    found = db.discover(db.Oracle(dag))
    assert found.graph == dag.cpdag() and not found.conflicts


@pytest.mark.parametrize("rule", ["opening", "max_p", "majority", "conservative", "first"])
def test_the_sprinkler_from_data(rule):
    found = db.discover(sprinkler(), collider_rule=rule)
    assert found.graph == SPRINKLER.cpdag() and found.graph.count_dags() == 3


def test_ic_finds_the_sprinkler():
    assert db.discover(sprinkler(), method="ic").graph == SPRINKLER.cpdag()


def random_table(rng, rows=300, columns=7):
    parents = rng.integers(0, 3, (rows, columns))
    for c in range(1, columns):
        take = rng.random(rows) < 0.6
        parents[take, c] = (parents[take, c - 1] + parents[take, max(c - 3, 0)]) % 3
    return pd.DataFrame(parents, columns=[f"v{c}" for c in range(columns)])


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.sampled_from(["opening", "max_p", "majority", "conservative", "first"]))
def test_order_changes_nothing_and_the_class_is_valid(seed, rule):
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    found = db.discover(table, alpha=0.05, collider_rule=rule)
    mixed = table.iloc[rng.permutation(len(table))][list(rng.permutation(table.columns))]
    again = db.discover(mixed, alpha=0.05, collider_rule=rule)
    assert again.graph == found.graph and again.removed == found.removed
    assert again.colliders == found.colliders and again.conflicts == found.conflicts
    db.CPDAG(found.graph.directed_edges, found.graph.undirected_edges, found.graph.nodes)  # raises where it is none


def test_threads_change_nothing(any_threads):
    table = random_table(np.random.default_rng(4), rows=2000, columns=12)
    results = []
    for count in (1, 2, 3):
        any_threads(count)
        results.append(db.discover(table, alpha=0.05))
    assert results[0].removed == results[1].removed == results[2].removed
    assert results[0].graph == results[1].graph == results[2].graph and results[0].tests == results[2].tests


class Plain:
    """A test that only answers."""

    def __init__(self, inner):
        self.inner, self.nodes = inner, inner.nodes

    def independent(self, x, y, given=()):
        return self.inner.independent(x, y, given)


class Detailed(Plain):
    """A test that the core does not know."""

    def __init__(self, inner):
        super().__init__(inner)
        self.rules, self.name, self.test, self.has_rows = inner.rules, inner.name, inner.test, inner.has_rows
        self.determines, self.rows_per_df = inner.determines, inner.rows_per_df


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.sampled_from(["opening", "max_p", "majority", "first"]), st.booleans())
def test_the_core_searches_as_its_twin(seed, rule, fdr):
    table = random_table(np.random.default_rng(seed), columns=6)
    found = db.discover(table, alpha=0.05, collider_rule=rule, fdr=fdr)
    twin = db.discover(Detailed(GSquared(table, alpha=0.05)), collider_rule=rule, fdr=fdr)
    assert twin.graph == found.graph and twin.removed == found.removed and twin.colliders == found.colliders


@pytest.mark.parametrize("rows", [150, 900])
def test_the_core_leaves_out_the_sets_that_its_twin_does(rows):
    rng = np.random.default_rng(rows)
    table = {"a": rng.integers(0, 12, rows)}
    for before, name in zip("abcd", "bcde", strict=True):
        table[name] = np.where(rng.random(rows) < 0.6, table[before], rng.integers(0, 12, rows))
    found, twin = db.discover(table, test="g2"), db.discover(Detailed(GSquared(table)))
    assert found.graph == twin.graph and found.removed == twin.removed and found.tests == twin.tests
    assert found.too_large == twin.too_large is not None


def test_any_object_that_answers_will_do():
    assert db.discover(Plain(db.Oracle(SPRINKLER))).graph == SPRINKLER.cpdag()


def test_normal_numbers():
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 2000))
    c = a + b + 0.5 * rng.normal(size=2000)
    data = {"a": a, "b": b, "c": c, "d": c + 0.5 * rng.normal(size=2000)}
    wanted = db.DAG([("a", "c"), ("b", "c"), ("c", "d")]).cpdag()
    assert db.discover(data, test="fisher_z").graph == wanted
    assert db.discover(data).graph == wanted
    a[:20] = np.nan
    assert db.discover(data, test="fisher_z", missing="skip").graph == wanted


def test_fewer_edges_stand_against_false_discoveries():
    rng = np.random.default_rng(6)
    noise = pd.DataFrame(rng.integers(0, 2, (500, 20)), columns=[f"n{i:02}" for i in range(20)])
    plain, careful = (db.discover(noise, alpha=0.05, fdr=fdr) for fdr in (False, True))
    assert careful.graph.adjacency().sum() == 0 < plain.graph.adjacency().sum()


def test_progress_is_shown(capsys):
    seen = []
    db.discover(sprinkler(500), progress=seen.append)
    assert [step.size for step in seen] == list(range(len(seen))) and seen[0].tests == 10
    db.discover(sprinkler(500), progress=True)
    shown = capsys.readouterr().err
    assert "given 0" in shown and "10 tests" in shown


@pytest.mark.parametrize("data", [*POOR_TABLES.values(), MANY_STATES], ids=[*POOR_TABLES, "300 states"])
def test_poor_data_give_a_class(data):
    found = db.discover(data, test="g2")
    db.CPDAG(found.graph.directed_edges, found.graph.undirected_edges, found.graph.nodes)


def test_constant_and_determined_columns_are_reported():
    rng = np.random.default_rng(7)
    a = rng.integers(0, 4, 200)
    data = {"a": a, "half": a // 2, "copy": 3 - a, "same": np.ones(200, dtype=int)}
    found = db.discover(data)
    assert found.notes == (
        "same is constant",
        "a and copy determine each other",
        "a determines half",
        "copy determines half",
        "tests given what determines a variable say nothing of this variable: they have no verdict and remove no edge",
        "1 pair without an edge, because what determines one of the two is adjacent to the other: a and half (half, "
        "determined by copy)",
    )
    assert found.explain("a", "half") == (
        "copy determines half, and a is adjacent to it: an edge between a and half would say nothing new, so none "
        "joins them."
    )


@pytest.mark.parametrize("method", ["pc", "ic", "fci"])
def test_a_linear_copy_does_not_take_the_edges_of_its_original(method):
    """z depends on x, so on y = 2x + 3; given the one, nothing is left of the other to test."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    for missing in (x[-1], np.nan):
        data = {"x": np.append(x[:-1], missing), "y": 2 * x + 3, "z": x + rng.normal(size=500)}
        found = db.discover(data, method, missing="skip")
        assert found.graph.is_adjacent("x", "z") and found.graph.is_adjacent("y", "z")
        assert found.notes[0] == "x and y determine each other" and not found.removed
        result = found.test.test("x", "z", ["y"])
        assert (result.verdict, result.determined) == ("none", ("x",)) and not found.test.independent("x", "z", ["y"])
        assert str(result) == "the test of x and z given y has no verdict: y determines x"


def test_a_sum_keeps_its_terms_and_its_effects():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 500))
    found = db.discover({"a": a, "b": b, "sum": a + b, "z": a + b + rng.normal(size=500)})
    assert found.graph == db.CPDAG([("a", "sum"), ("b", "sum"), ("sum", "z")])
    assert "a and b determine sum" in found.notes


def asia(rows, seed):
    """Lauritzen and Spiegelhalter's eight variables, drawn; "either" is tub or lung."""
    rng = np.random.default_rng(seed)

    def draw(p):
        return rng.random(rows) < p

    visit, smoke = draw(0.01), draw(0.5)
    tub, lung, bronc = draw(np.where(visit, 0.05, 0.01)), draw(np.where(smoke, 0.1, 0.01)), draw(0.3 + 0.3 * smoke)
    either = tub | lung
    xray = draw(np.where(either, 0.98, 0.05))
    dysp = draw(np.select([either & bronc, either, bronc], [0.9, 0.7, 0.8], 0.1))
    held = {"asia": visit, "smoke": smoke, "tub": tub, "lung": lung, "bronc": bronc, "either": either}
    return {name: column.astype(int) for name, column in (held | {"xray": xray, "dysp": dysp}).items()}


def joined(graph):
    return {frozenset(pair) for pair in combinations(graph.nodes, 2) if graph.is_adjacent(*pair)}


@pytest.mark.parametrize("method", ["pc", "fci"])
def test_asia_comes_out_right_but_for_its_weak_edge(method):
    """Given tub and lung nothing is left of either to test, and xray and dysp keep their edges to it."""
    truth = ASIA.cpdag()
    for seed in range(5):
        found = db.discover(asia(5000, seed), method)
        weak = {frozenset(("asia", "tub"))} | ({frozenset(("smoke", "lung"))} if method == "fci" else set())
        assert joined(truth) - joined(found.graph) <= weak and joined(found.graph) <= joined(truth)
        assert "lung and tub determine either" in found.notes
        if method == "pc":
            assert set(truth.directed_edges) - {("asia", "tub")} <= set(found.graph.directed_edges)


def test_a_relation_that_is_a_function_in_few_rows_only_is_none():
    """Each value of key lies in one row or two: that it determines x says nothing."""
    rng = np.random.default_rng(1)
    key = np.arange(120) // 2
    table = {"key": key.astype(str), "x": rng.integers(0, 2, 60)[key], "y": rng.integers(0, 2, 120)}
    found = db.discover(table)
    assert not any("determine" in note for note in found.notes)
    test = GSquared(table)
    assert not test.determines("key", "x") and test.test("x", "y", "key").determined == ()


def test_what_others_determine_is_left_out_in_any_engine_at_any_order():
    """The compiled searches, and those for any test, on columns of which some are functions of others."""
    rng = np.random.default_rng(3)
    a, b, c = rng.integers(0, 3, (3, 2000))
    flip = rng.random((2, 2000)) < 0.2
    data = {"a": a, "b": b, "any": (a > 0) | (b > 0), "c": c, "high": c > 0, "x": ((a > 0) | (b > 0)) ^ flip[0]}
    data = {name: column.astype(int) for name, column in data.items()} | {"y": np.where(flip[1], 1 - c % 2, c)}
    for rule in ("opening", "max_p", "majority", "conservative", "first"):
        one = db.discover(data, collider_rule=rule)
        other = db.discover(Detailed(GSquared(data)), collider_rule=rule)
        assert one.graph == other.graph and [str(r) for r in one.removed] == [str(r) for r in other.removed]
        turned = db.discover(dict(reversed(data.items())), collider_rule=rule)
        assert turned.graph == one.graph and turned.notes == one.notes
    assert one.graph.is_adjacent("any", "x") and not one.graph.is_adjacent("a", "x")


def test_other_packages_rules_call_what_is_determined_independent():
    data = {"x": [0, 1, 2] * 40, "copy": [0, 1, 2] * 40, "y": [0, 1, 1] * 40}
    for like in ("bnlearn", "bnlearn-adf", "pcalg", "causal-learn"):
        assert GSquared(data, like=like).independent("x", "y", ["copy"])


def test_the_picture_of_a_discovery_says_what_its_notes_say():
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    found = db.discover({"x<": x, "y": 2 * x + 3, "z": x + rng.normal(size=500)})
    shown = found._repr_html_()
    assert "<svg" in shown and "6 tests, 0 conflicts" in shown and "note: x&lt; and y determine each other" in shown


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: db.discover({"a": [None] * 9, "b": [0, 1, 0] * 3}), InputError, "'a' has no value"),
        (lambda: db.discover(sprinkler(9), method="magic"), ParameterError, "method is"),
        (lambda: db.discover(sprinkler(9), alpha=2), ParameterError, "between 0 and 1"),
        (lambda: db.discover(sprinkler(9), max_given=-1), ParameterError, "max_given"),
        (lambda: db.discover(sprinkler(9), collider_rule="best"), ParameterError, "max_p"),
        (lambda: db.discover(sprinkler(9), test="t"), ParameterError, "'g2', 'x2', 'cmh', 'fisher_z'"),
        (lambda: db.discover(np.random.default_rng(0).normal(size=(200, 3)), test="g2"), InputError, "fisher_z"),
        (
            lambda: db.discover(db.Oracle(random_dag(np.random.default_rng(0), 40, 1)), "ic"),
            ParameterError,
            "max_given",
        ),
    ],
)
def test_errors_say_what_to_do(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_progress_is_a_bar_a_function_or_nothing(capsys):
    half, done = Step(1, 0, 40, 0.5), Step(1, 2000, 30)
    with _reporting(True) as show:
        show(half)
        show(done)
        show(Step(2, 0, 30, 0.5))
    out, err = capsys.readouterr()
    assert out == "" and "given 1" in err and "2,000 tests, 30 edges left" in err and "given 2" in err
    steps = []
    with _reporting(steps.append) as report:
        report(half)
        report(done)
    assert steps == [done]
    with _reporting(False) as nothing:
        assert nothing is None


def test_progress_is_shown_within_a_level():
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(300, 1)) + rng.normal(size=(300, 26))  # one hidden cause: nothing is ever separated
    shares = []
    engine = engine_of(SourceFacts.of(FisherZ(numbers)), tuple(range(26)), is_bounded=False)
    edges = ~np.eye(26, dtype=bool)
    engine.level(edges, edges, 6, is_all=False, report=shares.append)
    assert shares and all(0 <= share <= 1 for share in shares)


def test_a_function_of_another_column_is_noted_unless_one_row_differs():
    """Rows are compared in blocks of 65,536; the one that differs may be in any of them."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 200_000)
    table = {"a": a, "b": a // 2}
    assert "a determines b" in db.discover(table, test="g2").notes
    for row in (0, 255, 256, 65_536, 199_999):
        other = a // 2
        other[row] ^= 1
        assert db.discover({"a": a, "b": other}, test="g2").notes == ()
