"""Smoking and cancer go together: one may cause the other, or a gene cause both."""

import deciban as db

gene = db.DAG([("gene", "smoking"), ("gene", "cancer")])
print(db.explain_separation(gene, "smoking", "cancer"))
print(db.explain_separation(gene, "smoking", "cancer", given="gene"))

forth, back = db.DAG([("smoking", "cancer")]), db.DAG([("cancer", "smoking")])
print(db.equivalent(forth, back), "-", forth.cpdag())
