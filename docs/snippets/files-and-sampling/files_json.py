"""Nodes and states with names of any type."""

import deciban as db

net = db.BayesNet.from_tables(
    [("rain today?", 2)],
    {"rain today?": ("no", 'a "bit"'), 2: (False, True)},
    {"rain today?": [0.8, 0.2], 2: [[0.9, 0.1], [1 / 3, 2 / 3]]},
)
print(net.to_json())
print(db.BayesNet.from_json(net.to_json()) == net)
