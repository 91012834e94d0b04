"""A gene that makes people like to smoke, and makes them ill; smoking, which puts tar into lungs; tar, which kills."""

import deciban as db

arrows = [("gene", "smoking"), ("gene", "cancer"), ("smoking", "tar"), ("tar", "cancer")]
no_yes = ("no", "yes")
net = db.BayesNet.from_tables(
    arrows,
    {"gene": no_yes, "smoking": no_yes, "tar": no_yes, "cancer": no_yes},
    {
        "gene": [0.7, 0.3],
        "smoking": [[0.8, 0.2], [0.3, 0.7]],  # without the gene, with it
        "tar": [[0.9, 0.1], [0.2, 0.8]],  # of those who do not smoke, of those who do
        "cancer": [[[0.98, 0.02], [0.92, 0.08]], [[0.80, 0.20], [0.70, 0.30]]],  # [gene][tar]
    },
    parents={"cancer": ("gene", "tar")},
)
