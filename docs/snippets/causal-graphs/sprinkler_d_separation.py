"""d-separation and its paths, the local Markov condition and a Markov blanket."""

from sprinkler import graph

import deciban as db
from deciban.nets import independencies

print(
    "slippery ⊥ season | wet:", db.d_separated(graph, "slippery", "season", given="wet")
)
print(db.explain_separation(graph, "sprinkler", "rain", given="season"))
print()
print(db.explain_separation(graph, "sprinkler", "rain", given=["season", "slippery"]))
print()
print(*independencies(graph), sep="\n")
print("Markov blanket of rain:", *sorted(db.markov_blanket(graph, "rain")))
