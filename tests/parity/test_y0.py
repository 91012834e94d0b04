"""y0 (0.2.11) says of the same effects that they are identified, by its ID and IDC algorithms.

Known difference: y0's IDC ends in a KeyError where cutting arrows leaves a node of the question without an edge.
"""

import itertools

import numpy as np
import pytest

import deciban as db

dsl = pytest.importorskip("y0.dsl", reason="y0 is not installed")
algorithm = pytest.importorskip("y0.algorithm.identify", reason="y0 is not installed")
graphs = pytest.importorskip("y0.graph", reason="y0 is not installed")


def theirs(names, arrows, joined, x, y, given):
    """Whether y0 finds a formula; None where it fails."""
    node = {name: dsl.Variable(name) for name in names}
    graph = graphs.NxMixedGraph.from_edges(
        nodes=node.values(),
        directed=[(node[a], node[b]) for a, b in arrows],
        undirected=[(node[a], node[b]) for a, b in joined],
    )
    asked = algorithm.Identification.from_parts(
        outcomes={node[y]}, treatments={node[x]}, conditions={node[name] for name in given} or None, graph=graph
    )
    try:
        (algorithm.idc if given else algorithm.identify)(asked)
    except algorithm.Unidentifiable:
        return False
    except KeyError:
        return None
    return True


def test_the_same_effects_are_identified():
    rng = np.random.default_rng(5)
    told = []
    for _ in range(100):
        names = [f"V{place}" for place in range(rng.integers(3, 7))]
        pairs = list(itertools.combinations(names, 2))
        arrows = [pair for pair in pairs if rng.random() < 0.45]
        joined = [pair for pair in pairs if rng.random() < 0.25]
        x, *given = rng.permutation(names[:-1])[: rng.integers(1, 3)].tolist()
        said = theirs(names, arrows, joined, x, names[-1], given)
        if said is not None:
            assert said == bool(
                db.identify(db.DAG(arrows, names), cause=x, effect=names[-1], given=given, confounded=joined)
            )
            told.append(said)
    assert told.count(True) > 30 and told.count(False) > 10
