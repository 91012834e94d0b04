"""With hidden causes: from an oracle all that its independences tell and no more; from data the same in any order."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import InputError, KnowledgeError, ParameterError
from deciban.nets import MAG, GSquared
from tests.nets.discovery.test_discover import Detailed, Plain, random_table, sprinkler
from tests.nets.distributions import generic
from tests.nets.mags import canonical, classes, matrix_of
from tests.nets.named_graphs import SPRINKLER, dags, random_dag, read_structure
from tests.nets.poor_tables import POOR_TABLES


def fci(dag, latent=(), **options):
    return db.discover(db.Oracle(dag, latent), method="fci", **options)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_whatever_four_variables_can_show_is_found(count):
    """Every class of MAGs there is, from a DAG whose hidden nodes make it: sound, and complete."""
    for wanted, members in classes(count).values():
        pag = db.PAG.from_marks(matrix_of(wanted, count))
        for marks in members:
            arrows, latent = canonical(marks, count)
            found = fci(db.DAG(arrows, range(count)), latent)
            assert found.graph == pag and not found.conflicts, marks


@settings(max_examples=150)
@given(st.integers(6, 8), st.integers(1, 3), st.integers(0, 100_000))
def test_an_oracle_with_latents_gives_its_pag(count, hidden, seed):
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, count + hidden, rng.uniform(0.8, 2.0))
    latent = [int(node) for node in rng.permutation(count + hidden)[:hidden]]
    found = fci(dag, latent)
    assert found.graph == db.PAG.of_dag(dag, latent) and not found.conflicts
    assert found.graph.is_class()


@settings(max_examples=60)
@given(dags(3, 7), st.data())
def test_no_mark_is_false(dag, data):
    latent = data.draw(st.sets(st.sampled_from(dag.nodes), max_size=2))
    graph = fci(dag, latent).graph
    for x, y in itertools.permutations(graph.nodes, 2):
        is_cause = y in dag.ancestors(x)
        assert graph.mark(x, y) in ((None, "circle", "tail") if is_cause else (None, "circle", "arrow"))
        others = [z for z in graph.nodes if z not in (x, y)]
        sets = itertools.chain.from_iterable(itertools.combinations(others, k) for k in range(len(others) + 1))
        assert graph.is_adjacent(x, y) != any(db.d_separated(dag, x, y, given) for given in sets)


@settings(max_examples=60)
@given(dags(2, 8))
def test_without_latents_adjacencies_and_arrowheads_are_those_of_the_class(dag):
    graph, wanted = fci(dag).graph, dag.cpdag()
    for x, y in itertools.combinations(dag.nodes, 2):
        assert graph.is_adjacent(x, y) == wanted.is_adjacent(x, y)
    heads = {(x, y) for x, y in itertools.permutations(dag.nodes, 2) if graph.mark(x, y) == "arrow"}
    assert heads == set(wanted.directed_edges)


@pytest.mark.parametrize("name", ["alarm", "asia", "insurance", "hailfinder", "win95pts"])
def test_the_known_networks_with_a_sixth_of_their_nodes_hidden(shared_data, name):
    dag = read_structure(shared_data / "nets" / f"{name}.bif.gz")
    latent = sorted(dag.nodes)[::6]
    assert fci(dag, latent).graph == db.PAG.of_dag(dag, latent)
    assert fci(dag).graph == db.PAG.of_dag(dag)


# Only c, u and v together separate x and y, and c is next to neither (after Spirtes, Glymour and Scheines 2000).
BEYOND = db.DAG(
    [("u", "x"), ("v", "y"), ("c", "v"), *(("l1", node) for node in "cu"), *(("l2", node) for node in "uy")]
    + [("l3", node) for node in "xv"]
)


def test_a_set_beyond_the_neighbours_is_found():
    latent = ["l1", "l2", "l3"]
    assert db.discover(db.Oracle(BEYOND, latent), method="pc").graph.is_adjacent("x", "y")
    found = fci(BEYOND, latent)
    assert found.separating_set("x", "y") == {"c", "u", "v"}
    edges = [("u", "→", "x"), ("v", "→", "y"), ("c", "o→", "u"), ("c", "o→", "v"), ("v", "↔", "x"), ("u", "↔", "y")]
    assert found.graph == db.PAG(edges)


def test_a_set_beyond_the_neighbours_is_found_in_data():
    rng = np.random.default_rng(3)
    l1, l2, l3, *noise = rng.normal(size=(8, 20_000))
    c = l1 + 0.8 * noise[0]
    u, v = l1 + 0.8 * l2 + 0.8 * noise[1], 0.7 * c + 0.9 * l3 + 0.8 * noise[2]
    data = {"c": c, "u": u, "v": v, "x": 0.6 * u + l3 + 0.8 * noise[3], "y": 0.8 * v + l2 + 0.8 * noise[4]}
    found = db.discover(data, "fci", test="fisher_z", alpha=0.001)
    assert found.graph == fci(BEYOND, ["l1", "l2", "l3"]).graph


@settings(max_examples=60)
@given(st.integers(5, 8), st.integers(0, 100_000))
def test_many_hidden_causes(count, seed):
    """Every third pair has a hidden cause of its own: where sets beyond the neighbours matter most."""
    rng = np.random.default_rng(seed)
    arrows, latent = [], []
    for a, b in itertools.combinations(rng.permutation(count).tolist(), 2):
        lot = rng.random()
        if lot < 0.25:
            arrows.append((a, b))
        elif lot < 0.6:
            latent.append(count + len(latent))
            arrows += [(latent[-1], a), (latent[-1], b)]
    dag = db.DAG(arrows, range(count))
    assert fci(dag, latent).graph == db.PAG.of_dag(dag, latent)


def test_the_notes_gene():
    """Who does not see the gene knows only that smoking and cancer go together."""
    gene = db.DAG([("gene", "smoking"), ("gene", "cancer")])
    assert fci(gene, ["gene"]).graph == db.PAG([("smoking", "o—o", "cancer")])
    town = db.DAG([*gene.directed_edges, ("age", "smoking"), ("asbestos", "cancer")])
    wanted = db.PAG([("age", "o→", "smoking"), ("asbestos", "o→", "cancer"), ("smoking", "↔", "cancer")])
    assert fci(town, ["gene"]).graph == wanted


def test_the_m():
    """x ← u1 → m ← u2 → y: with both hidden, m is seen to be a common effect, and x and y to be independent."""
    m = db.DAG([("u1", "x"), ("u1", "m"), ("u2", "m"), ("u2", "y")])
    assert fci(m, ["u1", "u2"]).graph == db.PAG([("x", "o→", "m"), ("y", "o→", "m")])


def test_the_y():
    y = db.DAG([("x1", "z"), ("x2", "z"), ("z", "w")])
    found = fci(y)
    assert found.graph == db.PAG([("x1", "o→", "z"), ("x2", "o→", "z"), ("z", "→", "w")])
    assert found.graph.is_visible("z", "w") and found.reasons["w", "z"] == "R1"


def test_hidden_between_two_effects():
    dag = db.DAG([("a", "x"), ("l", "x"), ("l", "y"), ("b", "y")])
    assert fci(dag, ["l"]).graph.bidirected_edges == (("x", "y"),)


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.sampled_from(["opening", "max_p", "majority", "conservative", "first"]))
def test_order_changes_nothing(seed, rule):
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    found = db.discover(table, "fci", alpha=0.05, collider_rule=rule)
    mixed = table.iloc[rng.permutation(len(table))][list(rng.permutation(table.columns))]
    again = db.discover(mixed, "fci", alpha=0.05, collider_rule=rule)
    assert again.graph == found.graph and again.removed == found.removed and again.reasons == found.reasons
    assert again.colliders == found.colliders and again.conflicts == found.conflicts


def test_threads_change_nothing(any_threads):
    table = random_table(np.random.default_rng(4), rows=2000, columns=10)
    results = []
    for count in (1, 2, 3):
        any_threads(count)
        results.append(db.discover(table, "fci", alpha=0.05))
    assert results[0].removed == results[1].removed == results[2].removed
    assert results[0].graph == results[1].graph == results[2].graph


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_what_does_not_fit_is_told(seed):
    """A graph without a conflict and without an open triple is a class."""
    found = db.discover(random_table(np.random.default_rng(seed), rows=150), "fci", alpha=0.2)
    assert found.conflicts or found.ambiguous or found.graph.is_class()


def test_there_are_conflicts_in_poor_data():
    many = [db.discover(random_table(np.random.default_rng(seed), rows=150), "fci", alpha=0.2) for seed in range(40)]
    told = [str(conflict) for found in many for conflict in found.conflicts]
    assert told and all(told)
    assert any("conflict: " in str(found.report()) for found in many)


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.sampled_from(["opening", "max_p", "majority", "first"]))
def test_the_core_searches_as_its_twin(seed, rule):
    table = random_table(np.random.default_rng(seed), columns=6)
    found = db.discover(table, "fci", alpha=0.05, collider_rule=rule)
    twin = db.discover(Detailed(GSquared(table, alpha=0.05)), "fci", collider_rule=rule)
    assert twin.graph == found.graph and twin.removed == found.removed and twin.conflicts == found.conflicts


@settings(max_examples=25)
@given(dags(3, 7), st.data())
def test_any_object_that_answers_will_do(dag, data):
    latent = data.draw(st.sets(st.sampled_from(dag.nodes), max_size=2))
    assert db.discover(Plain(db.Oracle(dag, latent)), "fci").graph == fci(dag, latent).graph


def test_the_gene_from_an_exact_table():
    """All 32 outcomes in fractions, and nobody asks for the gene: nothing is drawn, and nothing estimated."""
    town = db.DAG([("gene", "smoking"), ("gene", "cancer"), ("age", "smoking"), ("asbestos", "cancer")])
    table = Plain(generic(town, np.random.default_rng(0)))
    table.nodes = tuple(node for node in town.nodes if node != "gene")
    assert db.discover(table, "fci").graph == fci(town, ["gene"]).graph


def test_the_gene_from_data():
    rng = np.random.default_rng(1)
    gene, age, asbestos = (rng.random((3, 20_000)) < 0.5).astype(int)
    smoking = (rng.random(20_000) < 0.1 + 0.4 * gene + 0.3 * age).astype(int)
    cancer = (rng.random(20_000) < 0.05 + 0.4 * gene + 0.3 * asbestos).astype(int)
    table = {"age": age, "smoking": smoking, "cancer": cancer, "asbestos": asbestos}
    found = db.discover(table, "fci")
    assert found.graph.bidirected_edges == (("cancer", "smoking"),) and not found.conflicts
    sure = found.bootstrap(5)
    assert sure.edge("smoking", "cancer") == 1.0 and sure.arrow("smoking", "cancer") == 0.0


def test_normal_numbers():
    rng = np.random.default_rng(5)
    a, b, hidden, *noise = rng.normal(size=(5, 4000))
    data = {"a": a, "b": b, "x": a + hidden + noise[0], "y": b + hidden + noise[1]}
    wanted = db.PAG([("a", "o→", "x"), ("b", "o→", "y"), ("x", "↔", "y")])
    assert db.discover(data, "fci", test="fisher_z").graph == wanted


def test_alarm_takes_few_tests(shared_data):
    table = pd.read_csv(shared_data / "nets" / "alarm.sample.csv.gz", dtype=str).iloc[:5000]
    found = db.discover(table, "fci")
    dag = read_structure(shared_data / "nets" / "alarm.bif.gz")
    assert len(found.graph.edges) > 35 and found.tests < 100_000 and len(dag.nodes) == len(found.graph.nodes)


def test_knowledge_is_kept():
    known = db.Knowledge(tiers=[["season"], ["rain", "sprinkler"], ["wet", "slippery"]])
    found = fci(SPRINKLER, knowledge=known)
    assert found.graph.mark("season", "rain") == "arrow" and found.reasons["season", "rain"] == "knowledge"
    chain = db.DAG([("a", "b"), ("b", "c")])
    required = fci(chain, knowledge=db.Knowledge(required=[("b", "c")])).graph
    assert required == db.PAG([("b", "→", "c"), ("a", "o—o", "b")])
    assert fci(chain, knowledge=db.Knowledge(required=[("a", "c")])).graph.mark("c", "a") == "tail"
    forbidden = db.Knowledge(forbidden=[("a", "b"), ("b", "a")])
    assert fci(chain, knowledge=forbidden).graph == db.PAG([("a", "↔", "b"), ("b", "→", "c")])
    assert fci(chain, knowledge=db.Knowledge(tiers=[["b"], ["a"]])).graph == db.PAG(
        [("b", "o→", "a"), ("b", "o—o", "c")]
    )


@settings(max_examples=40)
@given(dags(3, 6), st.data())
def test_true_knowledge_makes_no_mark_false(dag, data):
    latent = data.draw(st.sets(st.sampled_from(dag.nodes), max_size=1))
    graph = fci(dag, latent).graph
    pairs = list(itertools.permutations(graph.nodes, 2))
    no = [(a, b) for a, b in pairs if a not in dag.ancestors(b)]
    yes = [(a, b) for a, b in MAG.of_dag(dag, latent).directed_edges]
    known = db.Knowledge(
        required=data.draw(st.lists(st.sampled_from(yes), unique=True, max_size=2)) if yes else [],
        forbidden=data.draw(st.lists(st.sampled_from(no), unique=True, max_size=3)),
    )
    found = fci(dag, latent, knowledge=known)
    assert not found.conflicts
    for x, y in pairs:
        is_cause = y in dag.ancestors(x)
        assert found.graph.mark(x, y) in ((None, "circle", "tail") if is_cause else (None, "circle", "arrow"))
        assert graph.mark(x, y) in ("circle", found.graph.mark(x, y))


def test_knowledge_against_the_data():
    collider = db.DAG([("a", "c"), ("b", "c")])
    found = fci(collider, knowledge=db.Knowledge(required=[("c", "a")]))
    assert found.graph.mark("a", "c") == "tail" and "the knowledge requires c → a" in str(found.conflicts[0])
    with pytest.raises(KnowledgeError, match="make a a cause of c, but a → c is forbidden"):
        fci(
            db.DAG([("a", "b"), ("b", "c"), ("a", "c")]),
            knowledge=db.Knowledge(required=[("a", "b"), ("b", "c")], forbidden=[("a", "c")]),
        )
    with pytest.raises(KnowledgeError, match="names 'q'"):
        fci(collider, knowledge=db.Knowledge(required=[("q", "a")]))
    with pytest.raises(KnowledgeError, match="names 'a'"):
        fci(collider, ["a"], knowledge=db.Knowledge(required=[("a", "c")]))


def test_max_given_holds_in_both_searches():
    seen = []
    db.discover(random_table(np.random.default_rng(1)), "fci", alpha=0.2, max_given=1, progress=seen.append)
    assert {step.size for step in seen} == {0, 1}
    assert db.discover(random_table(np.random.default_rng(1)), "fci", max_given=0).depth == 0


@pytest.mark.parametrize("data", POOR_TABLES.values(), ids=POOR_TABLES)
def test_poor_data_give_a_graph(data):
    found = db.discover(data, "fci")
    assert isinstance(found.graph, db.PAG) and set(found.graph.nodes) == set(data)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: db.discover({"a": [None] * 9, "b": [0, 1, 0] * 3}, "fci"), InputError, "'a' has no value"),
        (lambda: db.discover(sprinkler(9), "FCI"), ParameterError, "'pc', 'ic', 'fci'.*Did you mean 'fci'"),
        (lambda: db.discover(sprinkler(9), "fci", fdr=True), ParameterError, "fdr is for"),
        (lambda: db.discover(sprinkler(9), "fci", max_given=-1), ParameterError, "max_given"),
        (lambda: fci(db.DAG([("a", "b")]), ["a", "b"]), InputError, "no variable"),
        (lambda: fci(SPRINKLER).bootstrap(3), ParameterError, "no rows"),
    ],
)
def test_errors_say_what_to_do(call, error, words):
    with pytest.raises(error, match=words):
        call()
