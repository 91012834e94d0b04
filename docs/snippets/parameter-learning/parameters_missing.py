"""Remove three in ten of all values, and compare with the tables of complete data."""

import numpy as np

import deciban as db

clinic = db.read_net("clinic.bif")
patients = clinic.sample(5000, random_state=0).to_pandas()
incomplete = patients.mask(np.random.default_rng(0).random(patients.shape) < 0.3)

complete = db.BayesNet(clinic.dag).fit(patients, smoothing=db.BDeu(1))
for missing in ("skip", "em"):
    net = db.BayesNet(clinic.dag).fit(incomplete, missing=missing, smoothing=db.BDeu(1))
    errors = {
        node: np.abs(net.tables[node] - complete.tables[node]).max()
        for node in clinic.nodes
    }
    print(
        f"{missing:4}",
        "  ".join(f"{node} {error:.3f}" for node, error in errors.items()),
    )
print(net.report())
