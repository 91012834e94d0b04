"""The gene is hidden, but age and asbestos are seen: what PC makes of it, and what FCI does."""

import numpy as np

import deciban as db

town = db.DAG([("gene", "smoking"), ("gene", "cancer"), ("age", "smoking"), ("asbestos", "cancer")])
survey = db.Oracle(town, latent=["gene"])
wrong = db.discover(survey, method="pc")
print("PC: ", wrong.graph)
print("     conflict:", *wrong.conflicts)
found = db.discover(survey, method="fci")
print("FCI:", found.graph)
print(found.explain("smoking", "cancer"))

source = np.random.default_rng(0)
gene, age, asbestos = source.random((3, 5000)) < 0.5
smoking = source.random(5000) < 0.1 + 0.4 * gene + 0.3 * age
cancer = source.random(5000) < 0.05 + 0.4 * gene + 0.3 * asbestos
people = {"age": age, "asbestos": asbestos, "smoking": smoking, "cancer": cancer}
print("from 5,000 people:", db.discover(people, method="fci").graph == found.graph)

both = db.DAG([*town.directed_edges, ("smoking", "cancer")])
print("if smoking is a cause, too:", db.discover(db.Oracle(both, latent=["gene"]), method="fci").graph)
