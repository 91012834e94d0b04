"""A linear Gaussian network: the mean of each node is linear in its parents."""

import numpy as np

import deciban as db

rng = np.random.default_rng(0)
sun = rng.normal(6, 2, 1000)
degrees = 10 + 1.5 * sun + rng.normal(0, 2, 1000)
sales = 5 * degrees - 40 + rng.normal(0, 10, 1000)

net = db.GaussianNet([("sun", "degrees"), ("degrees", "sales")]).fit(
    {"sun": sun, "degrees": degrees, "sales": sales}
)
print(net.table("sales"))
print("sun given sales = 100:    ", net.query("sun", {"sales": 100}))
print("sun given do(sales = 100):", net.do({"sales": 100}).query("sun"))
