"""Graphs from tables of categories and numbers are nearer to the true ones than from tables that are cut or coded."""

import deciban as db
from benchmarks.graphs.mixed import coded, cut, draw_net


def distance(find):
    """The sum of the distances over nets that were not used to choose any setting."""
    total = 0
    for seed in range(7000, 7016):
        net = draw_net(seed, nodes=10, to_categories=seed % 2 == 0)
        total += db.compare_graphs(net.dag.cpdag(), find(net.sample(600, seed))).shd
    return total


def test_tests_of_both_kinds_are_nearer():
    ours = distance(lambda table: db.discover(table).graph)
    assert ours < distance(lambda table: db.discover(cut(table), test="g2").graph)
    assert ours < distance(lambda table: db.discover(coded(table), test="fisher_z").graph)


def test_scores_of_both_kinds_are_nearer():
    ours = distance(lambda table: db.search(table).graph)
    assert 1.5 * ours < distance(lambda table: db.search(cut(table), "bic").graph)
    assert 1.3 * ours < distance(lambda table: db.search(coded(table), "gaussian_bic").graph)
