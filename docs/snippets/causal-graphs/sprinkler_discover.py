"""Learn the equivalence class: from the graph's independences, and from 2,000 rows."""

import numpy as np
from sprinkler import graph

import deciban as db

print(db.discover(db.Oracle(graph), method="ic").graph == graph.cpdag())

rng = np.random.default_rng(0)
season = rng.integers(0, 4, 2000)
sprinkler = rng.random(2000) < np.array([0.1, 0.6, 0.8, 0.2])[season]
rain = rng.random(2000) < np.array([0.8, 0.4, 0.1, 0.6])[season]
wet = rng.random(2000) < np.where(
    sprinkler & rain, 0.99, np.where(sprinkler | rain, 0.9, 0.02)
)
slippery = rng.random(2000) < np.where(wet, 0.8, 0.05)
days = {
    "season": season,
    "sprinkler": sprinkler,
    "rain": rain,
    "wet": wet,
    "slippery": slippery,
}

result = db.discover(days, alpha=0.01)
print(result.graph)
print(result.explain("sprinkler", "rain"))
print(result.explain("season", "slippery"))

season_first = db.Knowledge(
    tiers=[["season"], ["sprinkler", "rain", "wet", "slippery"]]
)
print(db.discover(days, knowledge=season_first).graph)
