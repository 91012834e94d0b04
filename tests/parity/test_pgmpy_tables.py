"""Tables against pgmpy 1.1 (maximum likelihood, and Bayesian estimates with BDeu and K2 priors), on asia and alarm.

pgmpy makes a configuration that it never saw uniform, which here has to be asked for: ``unseen_parents="uniform"``.
"""

import numpy as np
import pandas as pd
import pytest

import deciban as db

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def estimators():
    pytest.importorskip("pgmpy.parameter_estimator", reason="pgmpy is not installed", exc_type=ImportError)
    from pgmpy import parameter_estimator  # noqa: PLC0415

    return parameter_estimator


def assert_same_tables(net, peer):
    for cpd in peer.parameters_:
        node, *parents = cpd.variables
        table = np.asarray(cpd.values)
        axes = [cpd.variables.index(axis) for axis in (*net.parents[node], node)]
        orders = [
            [cpd.state_names[axis].index(state) for state in net.states[axis]] for axis in (*net.parents[node], node)
        ]
        assert set(parents) == set(net.parents[node])
        np.testing.assert_allclose(net.tables[node], table.transpose(axes)[np.ix_(*orders)], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", ["asia", "alarm"])
def test_tables_agree(shared_data, estimators, name):
    from pgmpy.base import DAG  # noqa: PLC0415

    frame = pd.read_csv(shared_data / "nets" / f"{name}.sample.csv.gz", dtype=str, keep_default_na=False)
    dag = db.search(frame, "bic", method="hc", max_parents=3).graph
    graph = DAG(list(dag.directed_edges))
    graph.add_nodes_from(dag.nodes)
    net = db.BayesNet(dag).fit(frame)
    peers = {
        db.MLE(): estimators.DiscreteMLE(),
        db.BDeu(7): estimators.DiscreteBayesianEstimator(prior_type="BDeu", equivalent_sample_size=7),
        db.Laplace(): estimators.DiscreteBayesianEstimator(prior_type="K2"),
    }
    for rule, peer in peers.items():
        assert_same_tables(net.smoothed(rule, unseen_parents="uniform"), peer.fit(graph, frame))
