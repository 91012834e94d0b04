"""Rows with missing values: one read as a state, or in another row, would change every prediction."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ColumnMismatchError, ImpossibleEvidenceError, ParameterError, UnseenStateError
from tests.nets.inference.brute import asia, joint, marginal, nets


@st.composite
def tables(draw):
    """A net and rows with missing values."""
    net = draw(nets())
    rows = draw(st.integers(1, 6))
    columns = {node: [draw(st.sampled_from([None, *net.states[node]])) for _ in range(rows)] for node in net.nodes}
    return net, columns, rows


def evidence_of(columns, row, without=None):
    return {node: held[row] for node, held in columns.items() if held[row] is not None and node != without}


@settings(max_examples=100)
@given(tables(), st.data())
def test_each_row_is_a_question(case, data):
    net, columns, rows = case
    target = data.draw(st.sampled_from(net.nodes))
    logs = net.log_likelihood(columns, per_row=True)
    beliefs = net.predict_proba(columns, target, impossible="prior")
    for row in range(rows):
        assert np.exp(logs[row]) == pytest.approx(net.probability(evidence_of(columns, row)), rel=1e-12)
        known = evidence_of(columns, row, target)
        known = known if net.probability(known) else {}
        assert np.abs(beliefs[row] - net.query(target, known).as_array()).max() < 1e-12
    assert list(net.predict(columns, target, impossible="prior")) == [
        net.states[target][at] for at in beliefs.argmax(axis=1)
    ]


@settings(max_examples=100)
@given(tables(), st.sampled_from(["mpe", "marginals"]))
def test_missing_values_get_the_most_probable_states(case, method):
    net, columns, rows = case
    if any(net.probability(evidence_of(columns, row)) == 0 for row in range(rows)):
        with pytest.raises(ImpossibleEvidenceError, match=r"row \d+: P\(e\) = 0"):
            net.impute(columns, method)
        return
    filled = net.impute(columns, method)
    for row in range(rows):
        known = evidence_of(columns, row)
        states = {node: held[row] for node, held in filled.items()}
        assert known.items() <= states.items()
        table = joint(net, known)
        if method == "mpe":
            assert net.probability(states) == pytest.approx(table.max(), rel=1e-12)
        for node in net.nodes if method == "marginals" else ():
            own = marginal(table, net, [node])
            assert own[net.states[node].index(states[node])] == pytest.approx(own.max(), rel=1e-12)


def test_many_patterns_go_to_the_engine(monkeypatch):
    net, rng = asia(), np.random.default_rng(0)
    columns = {node: rng.choice(np.array(["yes", "no", None]), 60) for node in ("asia", "smoke", "xray", "dysp")}
    one_by_one = net.predict_proba(columns, "lung")
    monkeypatch.setattr("deciban.nets.inference.net_queries._PATTERNS", 0)
    assert np.abs(net.predict_proba(columns, "lung") - one_by_one).max() < 1e-14
    monkeypatch.setattr("deciban.nets.inference.net_queries._PATTERNS", 64)
    monkeypatch.setattr("deciban.nets.inference.net_queries.ROW_CELLS", 8)
    assert np.array_equal(net.predict_proba(columns, "lung"), one_by_one)


def test_frames_stay_what_they_are():
    net = asia()
    columns = {"asia": ["yes", None], "dysp": ["yes", "no"]}
    wanted = net.impute(columns)
    assert wanted["asia"] == ["yes", "no"] and set(wanted) == set(net.nodes)
    frame = net.impute(pd.DataFrame(columns, index=[7, 9]).astype({"asia": "category"}))
    assert frame["asia"].dtype == "category" and frame["asia"].tolist() == ["yes", "no"] and list(frame.index) == [7, 9]
    assert list(frame.columns)[:2] == ["asia", "dysp"]
    assert net.impute(pl.DataFrame(columns))["lung"].to_list() == wanted["lung"]
    assert net.impute(pa.table(columns))["lung"].to_pylist() == wanted["lung"]


def test_numbers_and_arrays():
    net = db.BayesNet.from_tables(
        [("a", "b")], {"a": (0, 1), "b": (0, 1)}, {"a": [0.3, 0.7], "b": [[0.9, 0.1], [0.2, 0.8]]}
    )
    incomplete = np.array([[0, np.nan], [np.nan, 0.0]])
    assert net.impute(incomplete).tolist() == [[0, 0], [0, 0]]
    assert net.log_likelihood(np.array([[0, 1], [1, 1]])) == pytest.approx(np.log(0.03) + np.log(0.56))
    frame = net.impute(pd.DataFrame(incomplete, columns=["a", "b"]))
    assert frame["a"].tolist() == [0, 0] and frame["b"].tolist() == [0, 0]
    assert net.predict({"b": [0, 1]}, "a").tolist() == [0, 1]


def test_weights():
    net = asia()
    data = {"tub": ["yes", "no", "no"], "either": ["no", "no", None]}
    assert np.isneginf(net.log_likelihood(data))
    each = net.log_likelihood(data, per_row=True)
    assert net.log_likelihood(data, sample_weight=[0, 2, 1]) == pytest.approx(2 * each[1] + each[2])


@pytest.mark.parametrize(
    ("ask", "error", "said"),
    [
        (lambda net: net.log_likelihood({"snow": ["yes"]}), ColumnMismatchError, "'snow' is not a node"),
        (lambda net: net.log_likelihood([["yes", "no"]]), ColumnMismatchError, "2 columns without names"),
        (lambda net: net.predict({"xray": ["yes", "maybe"]}, "lung"), UnseenStateError, r"'maybe' \(row 1\)"),
        (lambda net: net.impute({"tub": ["no", "yes"], "either": ["no", "no"]}), ImpossibleEvidenceError, "row 1: P"),
        (lambda net: net.predict({"tub": ["yes"], "either": ["no"]}, "lung"), ImpossibleEvidenceError, "row 0: P"),
        (lambda net: net.predict({"tub": ["yes"]}, "lung", impossible="hope"), ParameterError, "'hope'"),
        (lambda net: net.impute({"tub": ["yes"]}, "hope"), ParameterError, "'hope'"),
    ],
)
def test_bad_tables_are_one_clear_error(ask, error, said):
    with pytest.raises(error, match=said):
        ask(asia())
