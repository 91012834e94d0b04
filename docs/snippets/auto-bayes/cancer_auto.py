"""Compare naive Bayes with a model of dependent columns, and combine both."""

from cancer_table import nuclei, tumour

import deciban as db

model = db.AutoBayes().fit(nuclei, tumour)
print(model.report())
