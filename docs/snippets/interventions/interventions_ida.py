"""Possible effects of the sprinkler when only the equivalence class is known."""

from sprinkler import graph

import deciban as db

no_yes = ("no", "yes")
net = db.BayesNet.from_tables(
    graph,
    {
        "season": ("dry", "rainy"),
        "sprinkler": ("off", "on"),
        "rain": no_yes,
        "wet": no_yes,
        "slippery": no_yes,
    },
    {
        "season": [0.6, 0.4],
        "sprinkler": [[0.25, 0.75], [0.9, 0.1]],
        "rain": [[0.9, 0.1], [0.3, 0.7]],
        "wet": [[[1, 0], [0.2, 0.8]], [[0.1, 0.9], [0.05, 0.95]]],
        "slippery": [[1, 0], [0.3, 0.7]],
    },
)
possible = db.ida(net, graph.cpdag(), cause="sprinkler", effect="slippery")
print(possible)
print(
    "P(slippery = yes | do(sprinkler = on)): from {:.3f} to {:.3f}".format(
        *possible.range("on", "yes")
    )
)
