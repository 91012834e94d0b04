"""Remove a fifth of all values, and compare the tables with those of the complete data."""

import numpy as np
import pandas as pd

import deciban as db

asia = pd.read_csv("../shared/data/nets/asia.sample.csv.gz", dtype=str)
incomplete = asia.mask(np.random.default_rng(0).random(asia.shape) < 0.2)
graph = db.DAG([tuple(arrow) for arrow in ("AT", "SL", "SB", "TE", "LE", "EX", "ED", "BD")])

complete = db.BayesNet(graph).fit(asia, smoothing=db.BDeu(1))
for missing in ("skip", "em"):
    net = db.BayesNet(graph).fit(incomplete, missing=missing, smoothing=db.BDeu(1))
    errors = {node: np.abs(net.tables[node] - complete.tables[node]).max() for node in graph.nodes}
    print(f"{missing:9}", "  ".join(f"{node} {error:.3f}" for node, error in errors.items()))
print(net.report())
