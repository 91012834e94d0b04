"""Searches: what each promises, the same result in whatever order columns come, knowledge held, one clear error."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import CycleError, DecibanError, MissingValueError, ParameterError
from deciban.nets import GaussianBIC
from deciban.nets.scores.discrete import BIC
from tests.nets.named_graphs import ASIA
from tests.nets.search.samples import METHODS, knows


@pytest.mark.parametrize(("method", "verb"), [("ges", "insert"), ("hc", "add")])
def test_each_step_is_reported(sprinkler, capsys, method, verb):
    seen = []
    result = db.search(sprinkler, method=method, progress=seen.append)
    assert tuple(seen) == result.moves
    db.search(sprinkler, method=method, progress=True)
    assert str(seen[0]) in capsys.readouterr().err
    assert str(seen[0]).startswith(f"{verb} ")


@pytest.mark.parametrize("method", METHODS)
def test_odd_tables_have_a_right_answer(method):
    one_row = pd.DataFrame({"a": ["x"], "b": ["y"], "c": ["x"]})
    if method != "chow_liu":
        assert not db.search(one_row, method=method).graph.skeleton().undirected_edges
    assert db.search(pd.DataFrame({"a": ["x", "y"]}), method=method).graph.nodes == ("a",)
    rng = np.random.default_rng(0)
    wide = pd.DataFrame({"a": rng.integers(0, 300, 5000), "b": rng.integers(0, 300, 5000), "c": ["k"] * 5000})
    wide["d"] = wide["a"] % 3
    graph = db.search(wide, "bic", method=method).graph
    assert graph.is_adjacent("a", "d") and (method == "chow_liu" or not graph.adjacent_nodes("c"))
    twins = pd.DataFrame({"a": rng.integers(0, 3, 200)})
    twins["b"] = twins["a"]
    assert db.search(twins, method=method).graph.is_adjacent("a", "b")
    assert db.search(pd.DataFrame(rng.integers(0, 2, (5, 9))), "bdeu", method=method).score < 0


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"method": "magic"}, ParameterError, "method is one of 'auto', 'boss'"),
        ({"score": "aic"}, ParameterError, r"score is one of 'auto', 'bic'.* not 'aic'. Did you mean 'bic'?"),
        ({"score": 3}, ParameterError, "score is one of 'auto', 'bic'"),
        ({"score": 0.5}, ParameterError, "an object with the attribute reads"),
        ({"max_parents": -1}, ParameterError, "max_parents"),
        ({"restarts": -1}, ParameterError, "restarts"),
        ({"restarts": 2, "method": "ges"}, ParameterError, "does not restart"),
        ({"knowledge": knows([("rain", "snow")])}, ParameterError, "'snow'"),
        ({"knowledge": knows([("rain", "wet")], [("rain", "wet")])}, ParameterError, "both requires and forbids"),
        ({"knowledge": knows([("rain", "wet"), ("wet", "rain")])}, CycleError, "cycle"),
        ({"knowledge": knows([("rain", "rain")])}, ParameterError, "itself"),
        ({"knowledge": knows([("rain", "wet"), ("season", "wet")]), "max_parents": 1}, ParameterError, "requires 2"),
        ({"knowledge": knows([("rain", "wet")]), "method": "chow_liu"}, ParameterError, "takes no knowledge"),
    ],
)
def test_what_makes_no_sense_is_said(sprinkler, arguments, error, says):
    with pytest.raises(error, match=says):
        db.search(sprinkler, **arguments)


@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
@pytest.mark.parametrize("method", METHODS)
def test_weights_are_copies_of_rows(sprinkler, method, score):
    few = sprinkler.head(400)
    weights = np.random.default_rng(0).integers(0, 4, len(few))
    copies = few.loc[np.repeat(few.index, weights)]
    found = db.search(few, score, method=method, sample_weight=weights)
    wanted = db.search(copies, score, method=method)
    assert found.graph == wanted.graph and found.score == pytest.approx(wanted.score, rel=1e-9)


def test_weighted_numbers():
    values = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 3)), columns=list("abc"))
    values["c"] += 2 * values["a"]
    weights = np.tile([0, 1, 2, 1, 3], 10)
    found = db.search(values, "gaussian_bic", sample_weight=weights)
    wanted = db.search(values.loc[np.repeat(values.index, weights)], "gaussian_bic")
    assert found.graph == wanted.graph and found.score == pytest.approx(wanted.score)


@pytest.mark.parametrize("method", METHODS)
def test_rows_with_gaps_can_be_dropped_and_are_counted(sprinkler, method):
    whole = sprinkler.head(500)
    gaps = whole.astype(object).mask(np.random.default_rng(1).random(whole.shape) < 0.02)
    weights = np.arange(500) % 3 + 1.0
    kept = gaps.notna().all(axis=1).to_numpy()
    found = db.search(gaps, method=method, missing="drop", sample_weight=weights)
    wanted = db.search(whole[kept], method=method, sample_weight=weights[kept])
    assert found.graph == wanted.graph and found.score == wanted.score
    assert found.dropped == 500 - kept.sum() > 0 and wanted.dropped == 0
    assert f"{found.dropped} rows with missing values dropped" in repr(found)


def test_a_score_of_ones_own_gets_the_weights():
    class Doubled:
        reads = "categories"

        def on(self, data):
            return BIC().on(replace(data, sample_weight=2 * data.sample_weight))

    table = pd.DataFrame({"a": [0, 1] * 20, "b": [0, 1] * 20})
    assert (
        db.search(table, Doubled(), sample_weight=np.ones(40)).score == db.search(table, "bic", sample_weight=2.0).score
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"sample_weight": [1.0]}, "expected"),
        ({"sample_weight": [1.0, -1.0, 1.0]}, "Negative"),
        ({"sample_weight": [0.0, 0.0, 0.0]}, "every weight is 0"),
        ({"sample_weight": [0.1, 0.1, 0.1]}, "a weight is a number of rows"),
        ({"missing": "fill"}, "missing is one of 'error', 'drop', 'skip', 'em', 'state'"),
    ],
)
def test_weights_that_make_no_sense_are_said(arguments, says):
    with pytest.raises(DecibanError, match=says):
        db.search(pd.DataFrame({"a": [0, 1, 1], "b": [0, 1, 0]}), **arguments)


def test_when_every_row_has_a_gap_that_is_said():
    with pytest.raises(MissingValueError, match="none is left"):
        db.search(pd.DataFrame({"a": ["x", None], "b": [None, "y"]}, dtype=object), missing="drop")
    with pytest.raises(ParameterError, match="no rows to weigh"):
        db.search(db.Oracle(ASIA), method="ges", sample_weight=1.0)


def test_gaps_are_said():
    with pytest.raises(MissingValueError, match="row 2"):
        db.search(pd.DataFrame({"a": ["x", "y", None], "b": ["x", "y", "y"]}))
    with pytest.raises(DecibanError):
        db.search(pd.DataFrame({"a": [None, None], "b": ["x", "y"]}, dtype=object))


@pytest.mark.parametrize("method", ["ges", "hc", "tabu", "exact"])
def test_a_larger_penalty_leaves_fewer_edges_by_chance(method):
    """Thirty rows of independent columns: some pairs are related by chance, and the result says so."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(30, 12 if method == "exact" else 50))
    found = db.search(table, method=method, penalty=1)
    note = next(note for note in found.notes if "by chance" in note)
    edges = len(found.graph.edges)
    assert edges > 2 and f"{edges} edges" in note
    needed = float(note.split("penalty=")[1].split()[0])
    calmer = db.search(table, method=method, penalty=needed)
    assert len(calmer.graph.edges) < edges and calmer.penalty == needed
    assert not any("by chance" in note for note in db.search(table, method=method, penalty=2 * needed).notes)


def test_the_penalty_is_multiplied_by_what_is_given_or_by_the_factor_of_the_score():
    rng = np.random.default_rng(1)
    codes, numbers = rng.integers(0, 3, (60, 2)).astype(str), rng.normal(size=(60, 2))
    empty = db.Knowledge(forbidden=[("x0", "x1"), ("x1", "x0")])
    for table, score, kind, parameters in ((codes, "bic", BIC, 4), (numbers, "gaussian_bic", GaussianBIC, 4)):
        once, thrice = (db.search(table, score, method="hc", knowledge=empty, penalty=c).score for c in (1, 3))
        assert once - thrice == pytest.approx(parameters * np.log(60))
        assert db.search(table, kind(3), method="hc", knowledge=empty).score == pytest.approx(thrice)
        assert db.search(table, kind(3), method="hc", knowledge=empty, penalty=1).score == pytest.approx(once)
        plain = db.search(table, score, method="hc", knowledge=empty)
        assert plain.penalty == (2 if score == "gaussian_bic" else 1)
        assert plain.score == pytest.approx(db.score_graph(plain.graph, table, score=score))


def test_a_clear_sample_has_no_note_about_chance(sprinkler):
    assert not any("by chance" in note for note in db.search(sprinkler).notes)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: db.search({"a": [0, 1], "b": [0, 1]}, "bdeu", penalty=2), "penalty is for"),
        (lambda: db.search({"a": [0, 1], "b": [0, 1]}, penalty=-1), "0 or more"),
        (lambda: db.search({"a": [0, 1], "b": [0, 1]}, penalty=True), "0 or more"),
        (lambda: BIC(float("nan")), "0 or more"),
        (lambda: db.search(db.Oracle(db.DAG([("a", "b")])), penalty=2), "oracle"),
    ],
)
def test_a_penalty_that_does_not_apply_is_an_error(call, words):
    with pytest.raises(ParameterError, match=words):
        call()


def test_the_conditional_gaussian_net_of_bnlearn_is_found(shared_data):
    rows = pd.read_csv(shared_data / "nets" / "clgaussian.test.csv.gz")
    true = db.DAG.from_string("[A][B][C][H][D|A:H][F|B:C][E|B:D][G|A:D:E:F]").cpdag()
    for method in ("ges", "tabu", "exact"):
        assert db.search(rows, method=method).cpdag == true


def test_the_sample_of_a_result_is_searched_and_scored_again():
    rng = np.random.default_rng(3)
    group = rng.choice(["a", "b"], 200)
    for table in ({"x": group, "y": group}, {"x": group, "y": rng.normal(size=200) + (group == "a")}):
        found = db.search(table)
        assert db.search(found.sample) == found
        assert db.score_graph(found.dag, found.sample) == pytest.approx(found.score)
