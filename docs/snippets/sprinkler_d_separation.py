"""What the graph says of independence, and why."""

from sprinkler import graph

import deciban as db

print("slippery ⊥ season | wet:", db.d_separated(graph, "slippery", "season", given="wet"))
print(db.explain_separation(graph, "sprinkler", "rain", given="season"))
print()
print(db.explain_separation(graph, "sprinkler", "rain", given=["season", "slippery"]))
print()
print(*db.independencies(graph), sep="\n")
print("around rain:", *sorted(db.markov_blanket(graph, "rain")))
