"""A fifth of all values taken out: how far are the tables from those of the whole sample."""

import numpy as np
import pandas as pd

import deciban as db

asia = pd.read_csv("../shared/data/nets/asia.sample.csv.gz", dtype=str)
gapped = asia.mask(np.random.default_rng(0).random(asia.shape) < 0.2)
graph = db.DAG([tuple(arrow) for arrow in ("AT", "SL", "SB", "TE", "LE", "EX", "ED", "BD")])

whole = db.BayesNet(graph).fit(asia, smoothing=db.BDeu(1))
for missing in ("skip", "em"):
    net = db.BayesNet(graph).fit(gapped, missing=missing, smoothing=db.BDeu(1))
    off = {node: np.abs(net.tables[node] - whole.tables[node]).max() for node in graph.nodes}
    print(f"{missing:9}", "  ".join(f"{node} {difference:.3f}" for node, difference in off.items()))
print(net.report())
