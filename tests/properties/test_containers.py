"""The same table in every container gives the same tally, net, graph or answer, or the same error."""

from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import DecibanError
from deciban.nets import BIC, ChiSquared, FisherZ, GaussianBIC, GSquared
from deciban.tallies import Counts, Moments
from tests.containers import NAMED, containers_of

VALUES = [
    st.integers(-3, 3),
    st.integers(2**53 - 2, 2**53 + 2),
    st.integers(2**63 - 2, 2**64 + 2),
    st.sampled_from([2**70, -(2**70), 5]),
    st.floats(-4, 4, width=16),
    st.sampled_from([0.5, 1.0, float("inf"), 1e300]),
    st.booleans(),
    st.sampled_from(["sun", "rain", "", "1.5", "nan"]),
    st.sampled_from(["sun", "\udc80"]),
    st.dates(date(2020, 1, 1), date(2020, 1, 3)),
    st.sampled_from([datetime(2020, 1, 1), datetime(2020, 1, 1, 5, 30), datetime(2021, 6, 1)]),
    st.sampled_from([1, "a", 2.5, True]),
    st.sampled_from([1, 2.5]),
]
MODELS = [
    db.NaiveBayes(),
    db.NaiveBayes(db.Categorical(missing="state")),
    db.GaussianNB(missing="skip"),
    db.CategoricalNB(missing="skip"),
    db.JointBayes(missing="skip"),
    db.JointBayes(),
]


@st.composite
def tables(draw):
    """Columns of one kind each, at least one value of which is known: untyped containers do not know the kind else."""
    rows = draw(st.integers(2, 6))
    columns = {}
    for i in range(draw(st.integers(1, 2))):
        kind = draw(st.sampled_from(VALUES))
        cells = kind | st.none() if draw(st.booleans()) else kind
        columns[f"x{i}"] = [draw(kind), *draw(st.lists(cells, min_size=rows - 1, max_size=rows - 1))]
    return columns


def shown(part):
    """What was counted, as plain values whose types show."""
    if isinstance(part, Counts):
        return part.names, [(type(v).__name__, v) for v in part.variable.labels.tolist()], part.table.tolist()
    if isinstance(part, Moments):
        return "moments", [f"{x:.9g}" for a in (part.weight, part.mean, part.deviation) for x in a.ravel().tolist()]
    return repr(part)


def outcome(model, table, y):
    try:
        return "tally", [shown(part) for part in model.fit(table, y).tally_.parts]
    except DecibanError as error:
        return "error", next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "deciban.errors")


@settings(max_examples=60)
@given(tables(), st.integers(0, 5))
@example({"x0": [2**53, 2**53 + 1, None]}, 0)
@example({"x0": [1.5, None, 2.5], "x1": ["a", None, "b"]}, 0)
@example({"x0": [True, None, False]}, 0)
@example({"x0": [2**63, -1, 5]}, 0)
def test_every_container_gives_the_same(table, which):
    model = MODELS[which]
    y = [i % 2 for i in range(len(table["x0"]))]
    found = {name: outcome(model, held, y) for name, held in containers_of(table)}
    expected = found["mapping of lists"]
    different = {name: one for name, one in found.items() if str(one) != str(expected)}
    assert not different, (expected, different)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_labels_and_numbers_of_one_type_are_read_from_arrays_too(model):
    y = [0, 1, 0, 1]
    for held in ([1, 2, 2, 1], [0.5, 1.5, 0.5, 2.5], [True, False, True, True]):
        assert len({str(outcome(model, X, y)) for _, X in containers_of({"x0": held})}) == 1


GRAPH = db.DAG([("x0", "x1")], ["x1", "x0"])
PAIR = db.BayesNet.from_tables(GRAPH, {"x0": (0, 1), "x1": (0, 1)}, {"x0": [0.3, 0.7], "x1": [[0.9, 0.1], [0.2, 0.8]]})
LINE = db.GaussianNet(GRAPH).fit({"x0": [1.0, 2, 3, 5], "x1": [2.0, 3, 5, 9]})
NETS = {
    "discover": lambda data: str(db.discover(data).report()),
    "discover, skip": lambda data: str(db.discover(data, test="g2", missing="skip").report()),
    "discover, drop": lambda data: str(db.discover(data, missing="drop").report()),
    "discover, state": lambda data: str(db.discover(data, test="x2", missing="state").report()),
    "discover, fisher_z": lambda data: str(db.discover(data, test="fisher_z", missing="skip").report()),
    "search": db.search,
    "search, drop": lambda data: db.search(data, "bdeu", method="hc", missing="drop"),
    "search, state": lambda data: db.search(data, "k2", method="exact", missing="state"),
    "search, gaussian_bic": lambda data: db.search(data, "gaussian_bic", missing="drop"),
    "GSquared": lambda data: GSquared(data).test("x0", "x1"),
    "ChiSquared": lambda data: ChiSquared(data, missing="drop").test("x0", "x1"),
    "FisherZ": lambda data: FisherZ(data).test("x0", "x1"),
    "BIC": lambda data: BIC().on(data).local([(0, 0), (1, 1)]),
    "GaussianBIC": lambda data: GaussianBIC().on(data).local([(0, 0), (1, 1)]),
    "BayesNet.fit": lambda data: tables_of(db.BayesNet(GRAPH).fit(data)),
    "BayesNet.fit, skip": lambda data: tables_of(db.BayesNet(GRAPH).fit(data, missing="skip")),
    "BayesNet.fit, em": lambda data: tables_of(db.BayesNet(GRAPH).fit(data, missing="em", max_iter=3)),
    "GaussianNet.fit": lambda data: db.GaussianNet(GRAPH).fit(data).parameters["x1"],
    "GaussianNet.fit, skip": lambda data: db.GaussianNet(GRAPH).fit(data, missing="skip").parameters["x1"],
    "GaussianNet.log_likelihood": lambda data: round(LINE.log_likelihood(data), 9),
    "log_likelihood": lambda data: PAIR.log_likelihood(data, per_row=True),
    "predict": lambda data: PAIR.predict(data, "x0"),
    "predict_proba": lambda data: PAIR.predict_proba(data, "x1").round(9),
    "effect": lambda data: db.effect(data, GRAPH, cause="x0", effect="x1", bootstrap=0),
    "ida": lambda data: db.ida(data, GRAPH, cause="x0", effect="x1"),
    "ida, gaussian": lambda data: db.ida(data, GRAPH, cause="x0", effect="x1", model="gaussian"),
}


def tables_of(net):
    states = [(node, [(type(state).__name__, state) for state in net.states.get(node, ())]) for node in net.nodes]
    tables = {node: table.round(9).tolist() for node, table in net.tables.items()}
    lines = {
        node: [part.round(9).tolist() for part in (line.intercepts, line.slopes, line.variances)]
        for node, line in net.regressions.items()
    }
    return states, tables, lines


@st.composite
def pairs(draw):
    """Two columns of one kind each, long enough to be counted, or of numbers for the Gaussian functions."""
    rows = draw(st.integers(6, 12))
    columns = {}
    for name in ("x0", "x1"):
        kind = draw(st.sampled_from([st.integers(0, 1), st.integers(0, 1), *VALUES]))
        cells = kind | st.none() if draw(st.booleans()) else kind
        columns[name] = [draw(kind), draw(kind), *draw(st.lists(cells, min_size=rows - 2, max_size=rows - 2))]
    return columns


@settings(max_examples=12)
@pytest.mark.parametrize("ask", NETS.values(), ids=NETS)
@given(pairs())
@example({"x0": [0, 1, 1, 0, None, 1], "x1": [1, 1, 0, 0, 1, None]})
@example({"x0": [0, 1, 1, 0, 1, 1], "x1": [1, 1, 0, 0, 1, 0]})
@example({"x0": [0.5, 1.5, None, 2.5, 4.0, 3.5], "x1": [1.5, 1.25, 2.0, 2.5, 3.0, 3.75]})
@example({"x0": ["a", "b", "b", "a", "b", "a"], "x1": [True, False, True, True, None, False]})
def test_every_function_of_nets_takes_every_container(ask, table):
    found = {}
    for name, held in containers_of(table):
        try:
            found[name] = str(ask(held))
        except DecibanError as error:
            found[name] = type(error).__name__
    expected = found["mapping of lists"]
    different = {name: one for name, one in found.items() if one != expected}
    assert not different, (expected, different)


def test_there_are_containers_enough():
    assert len(dict(containers_of({"x0": [1, 2]}))) >= 25
    assert len(NAMED) >= 20


@pytest.mark.parametrize("value", [None, float("nan"), np.nan, pd.NA, pd.NaT, np.ma.masked, np.datetime64("NaT")])
def test_what_is_missing_is_missing_in_rows(value):
    model = db.NaiveBayes().fit([[1.5], [value], [2.5], [3.5]], [0, 1, 0, 1])
    assert type(model.schema_["x0"].distribution) is db.Gaussian
    assert model.tally_.parts[0].weight.tolist() == [[2.0], [1.0]]
