"""The sprinkler network (Pearl, Causality, figure 1.2)."""

import deciban as db

arrows = [
    ("season", "sprinkler"),
    ("season", "rain"),
    ("sprinkler", "wet"),
    ("rain", "wet"),
    ("wet", "slippery"),
]
graph = db.DAG(arrows)
