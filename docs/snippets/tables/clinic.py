"""The chest clinic network (Lauritzen and Spiegelhalter, 1988)."""

import deciban as db

arrows = [
    ("asia", "tub"), ("smoke", "lung"), ("smoke", "bronc"), ("tub", "either"),
    ("lung", "either"), ("either", "xray"), ("either", "dysp"), ("bronc", "dysp"),
]  # fmt: skip
nodes = ["asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"]
tables = {
    "asia": [0.01, 0.99],
    "tub": [[0.05, 0.95], [0.01, 0.99]],  # given asia: yes, no
    "smoke": [0.5, 0.5],
    "lung": [[0.1, 0.9], [0.01, 0.99]],  # given smoke: yes, no
    "bronc": [[0.6, 0.4], [0.3, 0.7]],  # given smoke: yes, no
    "either": [[[1, 0], [1, 0]], [[1, 0], [0, 1]]],  # given tub and lung: tub or lung
    "xray": [[0.98, 0.02], [0.05, 0.95]],  # given either: yes, no
    # given either and bronc
    "dysp": [[[0.9, 0.1], [0.7, 0.3]], [[0.8, 0.2], [0.1, 0.9]]],
}
net = db.BayesNet.from_tables(
    db.DAG(arrows, nodes),
    dict.fromkeys(nodes, ("yes", "no")),
    tables,
    parents={"either": ["tub", "lung"], "dysp": ["either", "bronc"]},
)
