"""Trees and posteriors against pgmpy, where it is installed.

The tree of `TreeSearch(…).estimate(estimator_type="tan")`, directions aside, which follow from its root; and
`predict_probability` of a net whose tables are relative frequencies.
"""

import warnings

import numpy as np
import pandas as pd
import pytest

import deciban as db

estimators = pytest.importorskip("pgmpy.estimators", reason="pgmpy is not installed")
models = pytest.importorskip("pgmpy.models", reason="pgmpy is not installed")


@pytest.mark.parametrize(("name", "target"), [("asia", "D"), ("learning.test", "A"), ("insurance", "PropCost")])
@pytest.mark.filterwarnings("ignore")
def test_the_tree_is_that_of_pgmpy(shared_data, name, target):
    frame = pd.read_csv(shared_data / "nets" / f"{name}.sample.csv.gz", keep_default_na=False).astype(str)
    ours = db.TAN(db.Categorical()).fit(frame.drop(columns=target), frame[target])
    root = next(column for column in frame if column != target)
    found = estimators.TreeSearch(frame, root_node=root).estimate("tan", target, show_progress=False)
    theirs = {frozenset(edge) for edge in found.edges() if target not in edge}
    assert {frozenset(edge) for edge in ours.tree_.directed_edges} == theirs


@pytest.mark.filterwarnings("ignore")
def test_posteriors_of_a_net_are_those_of_pgmpy(shared_data):
    frame = pd.read_csv(shared_data / "nets" / "learning.test.sample.csv.gz", keep_default_na=False).astype(str)
    edges = [("A", "B"), ("A", "D"), ("C", "D"), ("B", "E"), ("F", "E")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = models.DiscreteBayesianNetwork(edges)
        theirs.fit(frame)
        rows = frame[:20].drop(columns="B")
        expected = theirs.predict_probability(rows)
    model = db.BayesNetClassifier(edges, target="B", smoothing=db.MLE(), strength=0, temperature=1.0).fit(
        frame.drop(columns="B"), frame["B"]
    )
    found = model.predict_proba(rows)
    assert found == pytest.approx(np.asarray(expected[[f"B_{label}" for label in model.classes_]]), abs=1e-12)
    without = model.predict_proba(rows.assign(E=None))
    hidden = theirs.predict_probability(rows.drop(columns="E"))
    assert without == pytest.approx(np.asarray(hidden[[f"B_{label}" for label in model.classes_]]), abs=1e-12)
