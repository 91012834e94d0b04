"""A page about a net says what is in it, how sure it is, and what it leaves out."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import ImpossibleEvidenceError, ParameterError, UnfittedError, UnknownNodeError
from tests.nets.inference.networks import asia
from tests.reports.nets.pages import read

NASTY = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def net():
    return db.BayesNet.of(asia())


@pytest.fixture(scope="module")
def rows(net):
    return net.sample(400, random_state=0)


def test_a_net_without_rows_has_its_graph_strengths_probabilities_and_tables(net):
    page = read(db.report(net))
    assert list(page.titles) == ["overview", "graph", "edges", "beliefs", "tables", "making"]
    assert len(page.tables["edges"][0]) == 1 + 8 and "bootstrap" not in page.text["edges"]
    assert "given, not estimated" in page.text["overview"]
    assert "db.read_net" in page.text["making"]


def test_a_fitted_net_with_rows_has_support_counts_and_fit(net, rows):
    fitted = db.BayesNet(net.dag).fit(rows, smoothing=db.Lidstone(0.5))
    page = read(db.report(fitted, rows, bootstrap=5))
    assert list(page.titles) == ["overview", "graph", "edges", "beliefs", "tables", "fit", "making"]
    assert "estimated from 400 rows" in page.text["overview"]
    assert page.tables["edges"][0][0] == ["arrow", "bits", "share", "", "edge found", "this direction"]
    assert "5 bootstrap samples" in page.text["edges"]
    assert "Lidstone(alpha=0.5)" in page.text["making"] and "smoothing=db.Lidstone(alpha=0.5)" in page.text["making"]


def test_evidence_changes_the_probabilities_that_are_shown(net):
    page = read(db.report(net, evidence={"xray": "yes"}))
    by_node = dict(zip(net.dag.topological_order(), page.tables["beliefs"], strict=True))
    posterior = net.query("lung", {"xray": "yes"})
    assert [row[2] for row in by_node["lung"]] == [f"{p:.3f}" for p in posterior.as_array()]
    assert "xray = yes" in page.leads["beliefs"] and "xray (observed)" in page.text["beliefs"]


def test_a_gaussian_net_has_regressions():
    rng = np.random.default_rng(0)
    a = rng.normal(size=100)
    data = {"a": a, "b": 2 * a + rng.normal(size=100)}
    net = db.GaussianNet([("a", "b")]).fit(data)
    page = read(db.report(net, data, evidence={"a": 1.0}, bootstrap=3))
    assert list(page.titles) == ["overview", "graph", "edges", "beliefs", "tables", "making"]
    mean = net.query("b", {"a": 1.0}).mean
    assert page.tables["beliefs"][0][2][:2] == ["b", f"{mean:.6g}"]
    assert "· a" in page.tables["tables"][0][2][1]


def test_a_discovery_has_its_tests(rows):
    found = db.discover(rows)
    page = read(db.report(found, bootstrap=4))
    assert {"overview", "graph", "edges", "reasons", "separated", "making"} <= set(page.titles)
    assert len(page.tables["separated"][0]) == 1 + len(found.removed)
    first = found.removed[0]
    assert page.tables["separated"][0][1][0] == f"{first.x}, {first.y}"
    assert len(page.tables["reasons"][0]) == 1 + len(found.graph.directed_edges) + len(found.graph.undirected_edges)
    assert f"{found.tests:,}" in page.text["overview"] and "alpha=0.01" in page.text["making"]
    assert "deciban discover data.csv --method pc --alpha 0.01 --bootstrap 4 --format html" in page.text["making"]


def test_an_oracle_has_no_bootstrap(net):
    page = read(db.report(db.discover(db.Oracle(net.dag), "fci")))
    assert "edges" not in page.titles and "d-separation" in page.text["separated"]
    assert "hidden common cause" in page.leads["graph"]


def test_a_search_has_its_moves(rows):
    result = db.search(rows)
    page = read(db.report(result, bootstrap=4))
    assert list(page.titles) == ["overview", "graph", "edges", "trail", "making"]
    assert len(page.tables["trail"][0]) == 1 + len(result.moves)
    assert "method='auto'" in page.text["making"]
    command = "deciban search data.csv --score bic --method auto --bootstrap 4 --format html -o report.html"
    assert command in page.text["making"]
    assert "no moves" in read(db.report(db.search(rows, method="exact"), bootstrap=0)).text["trail"]


def test_names_and_states_are_escaped():
    net = db.BayesNet.from_tables(
        [(NASTY, "b")], {NASTY: ("<i>", "&"), "b": (0, 1)}, {NASTY: [0.5, 0.5], "b": [[0.5, 0.5]] * 2}
    )
    for report in (db.report(net, title=NASTY, evidence={NASTY: "&"}), db.report(db.discover(db.Oracle(net.dag)))):
        assert "<script>alert" not in report.html and "<i>" not in report.html
        read(report)


def test_a_large_net_is_shown_in_part_and_says_so():
    rng = np.random.default_rng(0)
    nodes = [f"n{i}" for i in range(300)]
    arrows = [(nodes[int(rng.integers(0, i))], nodes[i]) for i in range(1, 300)]
    states = {node: range(2 + 12 * (i % 7 == 3)) for i, node in enumerate(nodes)}
    dag = db.DAG(arrows, nodes)
    tables = {
        node: rng.dirichlet(np.ones(len(states[node])), [len(states[parent]) for parent in dag.parents(node)])
        for node in nodes
    }
    report = db.report(db.BayesNet.from_tables(dag, states, tables))
    page = read(report)
    assert len(report.html) < 1_000_000
    assert "60 of 300 nodes" in page.text["graph"] and "60 of 300 nodes" in page.text["beliefs"]
    assert "80 of 300 nodes" in page.text["tables"] and "10 most probable of 14 states" in page.text["tables"]
    assert "the first 60 of 299" in page.text["edges"]


def test_what_does_not_belong_together_is_refused(net, rows):
    with pytest.raises(ParameterError, match="a net has no target"):
        db.report(net, rows, "lung")
    with pytest.raises(ParameterError, match="evidence is for a fitted net"):
        db.report(db.search(rows), evidence={"lung": "yes"})
    with pytest.raises(ParameterError, match="leave out the data"):
        db.report(db.discover(rows), rows)
    with pytest.raises(ParameterError, match="for reports on nets"):
        db.report(db.NaiveBayes(), evidence={})
    with pytest.raises(ParameterError, match="number of samples, 0 for none; not -1"):
        db.report(net, rows, bootstrap=-1)
    with pytest.raises(UnfittedError):
        db.report(db.BayesNet(net.dag))
    with pytest.raises(UnknownNodeError, match="lnug"):
        db.report(net, evidence={"lnug": "yes"})
    with pytest.raises(ImpossibleEvidenceError):
        db.report(net, evidence={"lung": "yes", "either": "no"})


def test_rows_with_unknown_states_are_reported(net, rows):
    frame = rows.slice(0, 50).to_pandas().astype(str)
    frame.loc[3, "lung"] = "perhaps"
    page = read(db.report(net, frame, bootstrap=0))
    assert "perhaps" in page.text["fit"]


def test_a_hidden_node_has_no_rows_to_look_for(rows):
    hidden = db.BayesNet([("h", "lung"), ("h", "smoke")])
    hidden.fit(rows, missing="em", states={"h": 2}, random_state=0, max_iter=3, tol=1.0)
    page = read(db.report(hidden, rows))
    assert "not looked for in the rows: the table has no column 'h'" in page.text["overview"]
    assert "bits for each row" in page.text["fit"] and "bootstrap" not in page.text["edges"]


def test_each_node_may_have_its_own_smoothing(rows):
    net = db.BayesNet([("lung", "smoke")]).fit(rows, smoothing={"lung": db.MLE(), "smoke": db.BDeu(2.0)})
    assert "smoothing={'lung': db.MLE(), 'smoke': db.BDeu(ess=2.0)}" in read(db.report(net)).text["making"]


def test_the_code_on_the_page_makes_the_page_again(net, rows, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    few = rows.select(["smoke", "lung", "bronc"])
    net.write("net.bif")
    made = [
        db.report(net, evidence={"xray": "yes"}),
        db.report(db.BayesNet([("smoke", "lung")]).fit(few, missing="skip"), few),
        db.report(db.search(few, "bdeu", method="hc")),
        db.report(db.search(few, db.BDeu(2))),
        db.report(db.search(db.Oracle(net.dag))),
        db.report(db.discover(db.Oracle(net.dag), "fci")),
        db.report(db.discover(few, alpha=0.05)),
    ]
    for report in made:
        making = read(report).text["making"]
        exec(making[making.index("import deciban") : making.index(".html')") + 7], {"data": few, "dag": net.dag})  # noqa: S102
        assert (tmp_path / "report.html").read_text(encoding="utf-8") == report.html
