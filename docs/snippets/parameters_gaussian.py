"""Numbers: each node is linear in its parents, and all together are normal."""

import numpy as np

import deciban as db

rng = np.random.default_rng(0)
sun = rng.normal(6, 2, 1000)
warmth = 10 + 1.5 * sun + rng.normal(0, 2, 1000)
ices = 5 * warmth - 40 + rng.normal(0, 10, 1000)

net = db.GaussianNet([("sun", "warmth"), ("warmth", "ices")]).fit({"sun": sun, "warmth": warmth, "ices": ices})
print(net.parameters["ices"])
print("sun, having seen 100 ices:", net.query("sun", {"ices": 100}))
print("sun, having given away 100:", net.do({"ices": 100}).query("sun"))
