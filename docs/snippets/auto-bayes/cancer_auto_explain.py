"""The measurements that decide about one tumour."""

from cancer_table import nuclei, tumour

import deciban as db

model = db.AutoBayes().fit(nuclei, tumour)
explained = model.explain(nuclei.iloc[73])
print("\n".join(str(explained).splitlines()[:8]))
print("truth:", tumour[73])
