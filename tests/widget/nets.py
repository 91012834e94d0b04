"""Nets for the tests of live pictures: of categories, and with numbers among them."""

from itertools import pairwise

import numpy as np

import deciban as db


def asia():
    """The chest clinic of Lauritzen and Spiegelhalter (1988)."""
    yes_no = ("yes", "no")

    def table(*chances):
        return np.array([[p, 1 - p] for p in chances]).reshape(*[2] * int(np.log2(len(chances))), 2)

    edges = [
        ("asia", "tub"), ("smoke", "lung"), ("smoke", "bronc"), ("tub", "either"), ("lung", "either"),
        ("either", "xray"), ("either", "dysp"), ("bronc", "dysp"),
    ]  # fmt: skip
    tables = {
        "asia": [0.01, 0.99],
        "tub": table(0.05, 0.01),
        "smoke": [0.5, 0.5],
        "lung": table(0.1, 0.01),
        "bronc": table(0.6, 0.3),
        "either": table(1, 1, 1, 0),
        "xray": table(0.98, 0.05),
        "dysp": table(0.9, 0.7, 0.8, 0.1),
    }
    nodes = {node: yes_no for edge in edges for node in edge}
    parents = {"either": ("tub", "lung"), "dysp": ("either", "bronc")}
    return db.BayesNet.from_tables(edges, nodes, tables, parents=parents)


def mixed(rows=400):
    """A net of a category, a number below it, and a category below both."""
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], rows)
    height = np.where(sex == "m", 178.0, 165.0) + rng.normal(0, 7, rows)
    tall = np.where(height + rng.normal(0, 4, rows) > 172, "yes", "no")
    edges = [("sex", "height"), ("height", "tall")]
    return db.BayesNet(edges).fit({"sex": sex, "height": height, "tall": tall})


def wide(count=400):
    """A chain of many nodes."""
    nodes = [f"n{i}" for i in range(count)]
    edges = list(pairwise(nodes))
    tables = {node: [[0.9, 0.1], [0.2, 0.8]] for node in nodes[1:]}
    return db.BayesNet.from_tables(edges, dict.fromkeys(nodes, ("a", "b")), {nodes[0]: [0.5, 0.5], **tables})
