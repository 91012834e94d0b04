"""Fit two parts with the same structure, merge them, and forget some rows."""

import numpy as np
from cancer_table import nuclei, tumour

import deciban as db

first = db.KDB().fit(nuclei[:300], tumour[:300])
second = db.KDB(structure=first.structure_).fit(nuclei[300:], tumour[300:])
both = first.merge(second)
print("merged:", both.tally_.total, "rows")

whole = db.KDB(structure=both.structure_).fit(nuclei, tumour)
print(
    "equal to one fit:",
    np.array_equal(both.predict_proba(nuclei), whole.predict_proba(nuclei)),
)

both.forget(nuclei[:100], tumour[:100])
print("after forgetting:", both.tally_.total, "rows")
