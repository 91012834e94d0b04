"""A latent class model: three tests that depend on a hidden class."""

import numpy as np

import deciban as db

rng = np.random.default_rng(1)
ill = rng.random(500) < 0.3
sensitivity = {"a": 0.9, "b": 0.8, "c": 0.7}
tests = {
    name: np.where(rng.random(500) < np.where(ill, p, 0.1), "+", "-")
    for name, p in sensitivity.items()
}

net = db.BayesNet([("class", name) for name in tests])
net.fit(tests, missing="em", states={"class": 2}, starts=5, random_state=0)
print("classes:", net.tables["class"].round(2).tolist())
print(
    "P(+ | class):", {name: net.tables[name][:, 0].round(2).tolist() for name in tests}
)
print(
    f"{net.em_.iterations} iterations, log-likelihood "
    f"{net.log_likelihoods_[0]:.1f} → {net.log_likelihoods_[-1]:.1f}"
)
