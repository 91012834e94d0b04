"""A common cause of smoking and cancer, and two equivalent graphs without one."""

import deciban as db

gene = db.DAG([("gene", "smoking"), ("gene", "cancer")])
print(db.explain_separation(gene, "smoking", "cancer"))
print(db.explain_separation(gene, "smoking", "cancer", given="gene"))

forward, backward = db.DAG([("smoking", "cancer")]), db.DAG([("cancer", "smoking")])
print(db.equivalent(forward, backward), "-", forward.cpdag())
