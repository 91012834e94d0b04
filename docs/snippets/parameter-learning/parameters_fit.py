"""Estimate the tables, and report the configurations without counts."""

from garden import days, graph

import deciban as db

net = db.BayesNet(graph).fit(days)
print(net)
print("counts:", net.tally_["wet"].tolist())
print("P(wet | sprinkler, rain):", net.tables["wet"].round(3).tolist())
print()
print(net.report())
