"""Find the arrows again, from nothing but the table and an order of the variables."""

from sprinkler import graph
from sprinkler_table import table

import deciban as db

causes_first = ["season", "sprinkler", "rain", "wet", "slippery"]
print(db.markovian_parents(table, causes_first))
print("the same graph:", db.markovian_parents(table, causes_first).graph == graph)

backwards = db.markovian_parents(table, causes_first[::-1]).graph
print(backwards)
for question in (db.is_compatible, db.is_minimal, db.is_stable):
    print(question(backwards, table))
print(db.is_stable(graph, table))
