"""Searches of tables with missing values."""

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import MissingValueError, ParameterError
from deciban.nets import BIC
from deciban.nets.inference.mixed_queries import MixedQueries
from deciban.nets.search.structural_em import fill_rows
from tests.nets.named_graphs import ASIA, SPRINKLER
from tests.nets.search.samples import METHODS, sampled


def with_gaps(table, share, seed=0):
    """Values missing completely at random."""
    return table.astype(object).mask(np.random.default_rng(seed).random(table.shape) < share)


def numbers(rows, seed=0):
    """c depends on a, and d on c."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(rows, 4)), columns=list("abcd"))
    table["c"] += table["a"]
    table["d"] += table["c"]
    return table


@pytest.mark.parametrize("method", METHODS)
def test_skip_is_error_where_nothing_is_missing(sprinkler, method):
    for table in (sprinkler.head(500), numbers(200)):
        found, wanted = db.search(table, method=method, missing="skip"), db.search(table, method=method)
        assert found.graph == wanted.graph and found.score == wanted.score and found.notes == wanted.notes


@pytest.mark.parametrize("method", ["ges", "hc", "tabu", "exact"])
def test_the_graph_is_found_from_the_rows_that_each_step_needs(sprinkler, method):
    found = db.search(with_gaps(sprinkler, 0.15), method=method, missing="skip")
    # Other methods sum scores of different rows, which may add an edge; only "ges" judges every step on common rows.
    assert all(found.graph.is_adjacent(*edge) for edge in SPRINKLER.directed_edges)
    if method == "ges":
        assert found.graph == SPRINKLER.cpdag()
    table = numbers(1000)
    gaps = table.mask(np.random.default_rng(1).random(table.shape) < 0.3)
    assert db.search(gaps, method=method, missing="skip").cpdag == db.DAG([("a", "c"), ("c", "d")], nodes=["b"]).cpdag()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("score", ["bic", "bdeu", "k2", "gaussian_bic"])
def test_the_order_of_columns_and_rows_and_the_names_change_nothing(method, score):
    table = sampled(ASIA, 400, 5) if score != "gaussian_bic" else numbers(200)
    table["copy"] = table[table.columns[0]]
    table = table.mask(np.random.default_rng(2).random(table.shape) < 0.1)
    first = db.search(table, score, method=method, missing="skip")
    for seed in range(2):
        columns = np.random.default_rng(seed).permutation(table.columns)
        again = db.search(table[columns].sample(frac=1, random_state=seed), score, method=method, missing="skip")
        assert again.graph == first.graph and again.score == pytest.approx(first.score, rel=1e-9)


@pytest.mark.parametrize("method", ["ges", "hc"])
def test_weights_are_copies_of_rows(sprinkler, method):
    rng = np.random.default_rng(0)
    for table in (with_gaps(sprinkler.head(400), 0.1), numbers(100).mask(rng.random((100, 4)) < 0.1)):
        weights = rng.integers(0, 4, len(table))
        copies = table.loc[np.repeat(table.index, weights)]
        found = db.search(table, method=method, missing="skip", sample_weight=weights)
        wanted = db.search(copies, method=method, missing="skip")
        assert found.graph == wanted.graph and found.score == pytest.approx(wanted.score, rel=1e-9)


@pytest.mark.parametrize("method", ["ges", "hc"])
def test_a_missing_value_is_no_state(sprinkler, method):
    """Two columns that are missing together, and nothing else, are not related."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 2, (600, 2)), columns=["a", "b"]).astype(object)
    table[rng.random(600) < 0.4] = None
    assert not db.search(table, method=method, missing="skip").graph.edges
    assert db.search(table, method=method, missing="state").graph.edges


def test_the_notes_say_what_was_missing(sprinkler):
    gaps = sprinkler.head(500).astype(object)
    gaps.loc[:99, "rain"] = None
    gaps.loc[90:139, "wet"] = None
    note = next(note for note in db.search(gaps, missing="skip").notes if "missing" in note)
    assert note.startswith("missing values: rain (20.0%), wet (10.0%); fewest rows of a family: ")
    assert "of 500 (" in note
    assert not any("missing" in note for note in db.search(sprinkler, missing="skip").notes)


def test_a_score_of_ones_own_is_asked_for_complete_rows(sprinkler):
    class Plain:
        reads = "categories"

        def on(self, data):
            assert data.is_complete
            return BIC().on(data)

    gaps = with_gaps(sprinkler.head(500), 0.1)
    assert db.search(gaps, Plain(), missing="skip").score == db.search(gaps, "bic", missing="skip").score


def test_bootstrap_and_given_graphs_take_missing_values(sprinkler):
    gaps = with_gaps(sprinkler.head(500), 0.1)
    found = db.search(gaps, method="hc", missing="skip")
    assert db.score_graph(found.graph, gaps, missing="skip") == pytest.approx(found.score)
    assert 0 < found.bootstrap(3).edge("rain", "wet") <= 1


def test_a_column_without_any_value_is_said():
    with pytest.raises(MissingValueError, match="'b' has no value"):
        db.search(pd.DataFrame({"a": ["x", "y"], "b": [None, None]}, dtype=object), missing="skip")


@pytest.mark.parametrize("method", ["ges", "hc"])
def test_structural_em_finds_the_graph(sprinkler, method):
    found = db.search(with_gaps(sprinkler, 0.3, seed=1), method=method, missing="em")
    assert found.cpdag == SPRINKLER.cpdag() and found.is_converged and found.visited > 0
    table = numbers(1000)
    gaps = table.mask(np.random.default_rng(1).random(table.shape) < 0.3)
    assert db.search(gaps, method=method, missing="em").cpdag == db.DAG([("a", "c"), ("c", "d")], nodes=["b"]).cpdag()


def test_em_is_right_where_the_observed_values_say_whether_one_is_missing():
    """c is missing for large a: on the rows that have c, a and b look related."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(4000, 2)), columns=["a", "b"])
    table["c"] = table["a"] + table["b"] + 0.3 * rng.normal(size=4000)
    table["e"] = table["c"] + 0.3 * rng.normal(size=4000)
    gaps = table.copy()
    gaps.loc[gaps["c"] + 0.1 * rng.normal(size=4000) > 0, "b"] = np.nan
    true = db.DAG([("a", "c"), ("b", "c"), ("c", "e")]).cpdag()
    assert db.search(gaps, missing="em").graph == true != db.search(gaps, missing="drop").graph


@pytest.mark.parametrize("score", ["bic", "gaussian_bic"])
def test_the_score_of_em_is_that_of_the_observed_values(score):
    table = sampled(ASIA, 300, 5) if score == "bic" else numbers(200)
    gaps = table.mask(np.random.default_rng(2).random(table.shape) < 0.2)
    found = db.search(gaps, score, method="hc", missing="em")
    if score == "bic":
        net = db.BayesNet(found.dag).fit(gaps, missing="em", smoothing=db.MLE(), tol=1e-9)
        likelihood, parameters = net.em_.log_likelihoods[-1], net.n_parameters
    else:
        joint = db.GaussianNet(found.dag).fit(gaps, missing="em", tol=1e-9).joint
        likelihood = joint.log_density(gaps[list(joint.nodes)].to_numpy()).sum()
        parameters = sum(len(found.dag.parents(node)) + 2 for node in found.dag.nodes)
    # Structural EM stops each run of EM where an iteration gains a hundredth of a nat.
    assert found.score == pytest.approx(likelihood - 0.5 * found.penalty * np.log(len(gaps)) * parameters, abs=0.5)
    assert db.score_graph(found.graph, gaps, score=score, missing="em") == pytest.approx(found.score, rel=1e-6)
    some = db.DAG(nodes=[found.graph.nodes[0]])
    assert db.score_graph(some, gaps, score=score, missing="em") == pytest.approx(
        db.score_graph(some, gaps, score=score, missing="skip") * gaps[some.nodes[0]].notna().mean(), rel=0.01
    )
    whole = table.astype(int) if score == "bic" else table
    plain = db.score_graph(found.graph, whole, score=score)
    assert db.score_graph(found.graph, whole, score=score, missing="em") == pytest.approx(plain, rel=1e-9)
    skipped = db.search(gaps, score, method="hc", missing="skip")
    assert found.notes[-1].count("structural EM") == 1 and skipped.notes[-1].count("structural EM") == 0


@pytest.mark.parametrize("score", ["bic", "gaussian_bic"])
def test_em_does_not_depend_on_the_order_or_the_copies_of_rows(score):
    table = sampled(ASIA, 300, 5) if score == "bic" else numbers(200)
    gaps = table.mask(np.random.default_rng(2).random(table.shape) < 0.1)
    weights = np.random.default_rng(3).integers(1, 4, len(gaps))
    first = db.search(gaps, score, missing="em", sample_weight=weights)
    copies = gaps.loc[np.repeat(gaps.index, weights)].sample(frac=1, random_state=0)
    again = db.search(copies[np.random.default_rng(0).permutation(gaps.columns)], score, missing="em")
    assert again.graph == first.graph and again.score == pytest.approx(first.score, rel=1e-6)


def test_em_where_nothing_is_missing_is_the_plain_search(sprinkler):
    for table in (sprinkler.head(500), numbers(200)):
        found, wanted = db.search(table, missing="em"), db.search(table)
        assert found.graph == wanted.graph and found.score == wanted.score and found.notes == wanted.notes


@pytest.mark.parametrize("score", ["bdeu", "k2"])
def test_scores_without_a_likelihood_of_the_observed_values_refuse_em(sprinkler, score):
    with pytest.raises(ParameterError, match='missing="em" is for the scores "bic", "gaussian_bic" and "cg_bic"'):
        db.search(sprinkler, score, missing="em")


def test_numbers_that_determine_one_another_are_completed():
    table = numbers(300)
    table["e"] = 2 * table["a"] - table["b"]
    gaps = table.mask(np.random.default_rng(1).random(table.shape) < 0.1)
    found = db.search(gaps, missing="em")
    assert np.isfinite(found.score) and found.graph.is_adjacent("c", "d")


def mixed(rows, seed=0):
    """Categories a, b, c and numbers x, y, z: a → x → y ← b → c."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 3, rows), rng.integers(0, 2, rows)
    x = 1.5 * a + rng.normal(size=rows)
    y = x + 2 * b + rng.normal(size=rows)
    c = (b + (rng.random(rows) < 0.15)) % 2
    labels = {name: np.array(list("uvw"))[codes] for name, codes in {"a": a, "b": b, "c": c}.items()}
    return pd.DataFrame(labels | {"x": x, "y": y, "z": rng.normal(size=rows)})


@pytest.mark.parametrize("score", ["auto", "cg_bic", "dg_bic"])
def test_tables_of_categories_and_numbers_are_searched_on_common_rows(score):
    table = mixed(2000)
    gaps = table.mask(np.random.default_rng(1).random(table.shape) < 0.2)
    found = db.search(gaps, score, missing="skip")
    assert found.graph == db.DAG([("a", "x"), ("x", "y"), ("b", "y"), ("b", "c")], nodes=["z"]).cpdag()
    again = db.search(gaps[["z", "c", "y", "b", "x", "a"]].sample(frac=1, random_state=0), score, missing="skip")
    assert again.graph == found.graph and again.score == pytest.approx(found.score, rel=1e-9)
    assert db.search(table, score, missing="skip").score == db.search(table, score).score


def test_tables_of_categories_and_numbers_are_completed():
    table = mixed(500)
    gaps = table.mask(np.random.default_rng(1).random(table.shape) < 0.2)
    found = db.search(gaps, missing="em")
    true = db.DAG([("a", "x"), ("x", "y"), ("b", "y"), ("b", "c")], nodes=["z"])
    assert found.graph == true.cpdag() and "structural EM" in " ".join(found.notes)
    # A path to a better graph than that of "skip", by the score of the observed values.
    assert found.score >= db.score_graph(db.search(gaps, missing="skip").dag, gaps, missing="em") - 0.5
    again = db.search(gaps[["z", "c", "y", "b", "x", "a"]].sample(frac=1, random_state=0), missing="em")
    assert again.graph == found.graph and again.score == pytest.approx(found.score, rel=1e-6)
    # Regressions are shrunk a little, as those of BayesNet are.
    assert db.score_graph(true, table, missing="em") == pytest.approx(db.score_graph(true, table), rel=1e-4)
    with pytest.raises(ParameterError, match='Pass missing="skip"'):
        db.search(gaps, "dg_bic", missing="em")


def test_a_graph_that_a_few_rows_hide_is_found_by_completing_them():
    table = mixed(300, seed=3)
    table["ill"] = np.where(table["y"] + np.random.default_rng(3).logistic(size=300) > 2, "yes", "no")
    gaps = table.mask(np.random.default_rng(2).random(table.shape) < 0.3)
    found = db.search(gaps, missing="em", method="hc")
    assert found.graph.is_adjacent("y", "ill") and np.isfinite(found.score)


def test_draws_of_categories_and_numbers_have_the_posterior_distribution():
    table = mixed(400)
    table["ill"] = np.where(table["y"] + np.random.default_rng(3).logistic(size=400) > 2, "yes", "no")
    dag = [("a", "x"), ("x", "y"), ("b", "y"), ("y", "ill")]
    network = db.BayesNet(dag).fit(table[["a", "b", "x", "y", "ill"]]).network
    queries, rows = MixedQueries(network), 4_000
    # Of a row only x and ill are known: y lies in bins of ill, each with its own probability.
    codes = np.full((rows, len(network.categories)), -1, dtype=np.int32)
    values = np.full((rows, len(network.numbers)), np.nan)
    codes[:, network.categories.index("ill")], values[:, network.numbers.index("x")] = 1, 0.5
    states = {node: queries.posteriors(codes[:1], values[:1], node)[0] for node in ("a", "b")}
    mean, variance = queries.posteriors(codes[:1], values[:1], "y")[0]
    fill_rows(network, codes, values, np.random.default_rng(0))
    for node, wanted in states.items():
        shares = np.bincount(codes[:, network.categories.index(node)], minlength=len(wanted)) / rows
        assert np.abs(shares - wanted).max() < 0.03
    drawn = values[:, network.numbers.index("y")]
    assert (drawn.mean(), drawn.var()) == (pytest.approx(mean, abs=0.1), pytest.approx(variance, rel=0.1))
