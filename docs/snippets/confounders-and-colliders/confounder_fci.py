"""The gene is hidden, age and asbestos are observed: the results of PC and FCI."""

import numpy as np

import deciban as db

town = db.DAG(
    [
        ("gene", "smoking"),
        ("gene", "cancer"),
        ("age", "smoking"),
        ("asbestos", "cancer"),
    ]
)
survey = db.Oracle(town, latent=["gene"])
pc = db.discover(survey, method="pc")
print("PC: ", pc.graph)
print("     conflict:", *pc.conflicts)
fci = db.discover(survey, method="fci")
print("FCI:", fci.graph)
print(fci.explain("smoking", "cancer"))

rng = np.random.default_rng(0)
gene, age, asbestos = rng.random((3, 5000)) < 0.5
smoking = rng.random(5000) < 0.1 + 0.4 * gene + 0.3 * age
cancer = rng.random(5000) < 0.05 + 0.4 * gene + 0.3 * asbestos
people = {"age": age, "asbestos": asbestos, "smoking": smoking, "cancer": cancer}
print(
    "the same graph from 5,000 rows:",
    db.discover(people, method="fci").graph == fci.graph,
)

both = db.DAG([*town.directed_edges, ("smoking", "cancer")])
print(
    "with smoking → cancer:",
    db.discover(db.Oracle(both, latent=["gene"]), method="fci").graph,
)
