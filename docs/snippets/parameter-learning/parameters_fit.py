"""Estimate the tables, show one, and report the configurations without counts."""

from garden import days, graph

import deciban as db

net = db.BayesNet(graph).fit(days)
print(net)
print(net.table("wet"))
print()
print(net.report())
