"""Recover the graph from the joint distribution and an order of the variables."""

from sprinkler import graph
from sprinkler_table import table

import deciban as db
from deciban.nets import is_compatible, is_minimal, is_stable

causes_first = ["season", "sprinkler", "rain", "wet", "slippery"]
print(db.markovian_parents(table, causes_first))
print("the same graph:", db.markovian_parents(table, causes_first).graph == graph)

effects_first = db.markovian_parents(table, causes_first[::-1]).graph
print(effects_first)
for check in (is_compatible, is_minimal, is_stable):
    print(check(effects_first, table))
print(is_stable(graph, table))
