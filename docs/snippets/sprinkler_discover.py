"""Find the class of the sprinkler's graph: from the graph's own independences, and from two thousand days."""

import numpy as np
from sprinkler import graph

import deciban as db

print(db.discover(db.Oracle(graph), method="ic").graph == graph.cpdag())

source = np.random.default_rng(0)
season = source.integers(0, 4, 2000)
sprinkler = source.random(2000) < np.array([0.1, 0.6, 0.8, 0.2])[season]
rain = source.random(2000) < np.array([0.8, 0.4, 0.1, 0.6])[season]
wet = source.random(2000) < np.where(sprinkler & rain, 0.99, np.where(sprinkler | rain, 0.9, 0.02))
slippery = source.random(2000) < np.where(wet, 0.8, 0.05)
days = {"season": season, "sprinkler": sprinkler, "rain": rain, "wet": wet, "slippery": slippery}

found = db.discover(days, alpha=0.01)
print(found.graph)
print(found.explain("sprinkler", "rain"))
print(found.explain("season", "slippery"))
first = db.Knowledge(tiers=[["season"], ["sprinkler", "rain", "wet", "slippery"]])
print(db.discover(days, knowledge=first).graph)
