"""Structures and scores against R's bnlearn.

bnlearn is in no Debian 12 package, so nothing is run here: the figures are those that are published for
its data sets learning.test and gaussian.test, which lie in ../shared/data/nets. tests/parity/r/make_structures.R
computes them, and those of the larger samples, where bnlearn is installed.

* ``score(set.arc(iamb(learning.test), "A", "B"), learning.test)`` is −24006.73. That network is
  [A][C][F][B|A][D|A:C][E|B:F], which ``hc`` finds, too (bnlearn.com, "A Quick introduction").
* The score of ``hc(gaussian.test)`` with type "bic-g" is −53221.35. The structure held against it here is our own,
  [A][B][E][G][C|A:B][D|B][F|A:D:E:G], whose score is that figure; bnlearn's own was not seen.
"""

import pandas as pd
import pytest

import deciban as db


def read(shared_data, name):
    return pd.read_csv(shared_data / "nets" / f"{name}.sample.csv.gz", keep_default_na=False)


def model_string(text):
    """The DAG that bnlearn writes as [A][B|A]."""
    nodes = [part.split("|") for part in text.strip("[]").split("][")]
    edges = [(parent, child) for child, *given in nodes for parent in ":".join(given).split(":") if parent]
    return db.DAG(edges, [child for child, *_ in nodes])


LEARNING = model_string("[A][C][F][B|A][D|A:C][E|B:F]")
GAUSSIAN = model_string("[A][B][E][G][C|A:B][D|B][F|A:D:E:G]")


@pytest.mark.parametrize("method", ["hc", "tabu", "exact"])
def test_learning_test(shared_data, method):
    found = db.search(read(shared_data, "learning.test"), "bic", method=method)
    assert round(found.score, 2) == -24006.73
    assert db.equivalent(found.graph, LEARNING)


@pytest.mark.parametrize("method", ["hc", "tabu", "exact"])
def test_gaussian_test(shared_data, method):
    found = db.search(read(shared_data, "gaussian.test"), "gaussian_bic", method=method, penalty=1)
    assert round(found.score, 2) == -53221.35
    assert db.equivalent(found.graph, GAUSSIAN)


def test_equivalence_search_finds_the_same_classes(shared_data):
    assert db.search(read(shared_data, "learning.test"), "bic", method="ges").graph == LEARNING.cpdag()
    assert db.search(read(shared_data, "gaussian.test"), "gaussian_bic", method="ges").graph == GAUSSIAN.cpdag()
