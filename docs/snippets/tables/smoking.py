"""A gene influences smoking and cancer; smoking influences cancer through tar."""

import deciban as db

# The numbers are invented.
arrows = [
    ("gene", "smoking"),
    ("gene", "cancer"),
    ("smoking", "tar"),
    ("tar", "cancer"),
]
no_yes = ("no", "yes")
net = db.BayesNet.from_tables(
    arrows,
    {"gene": no_yes, "smoking": no_yes, "tar": no_yes, "cancer": no_yes},
    {
        "gene": [0.7, 0.3],
        "smoking": [[0.8, 0.2], [0.3, 0.7]],  # given gene: no, yes
        "tar": [[0.9, 0.1], [0.2, 0.8]],  # given smoking: no, yes
        # given gene and tar
        "cancer": [[[0.98, 0.02], [0.92, 0.08]], [[0.80, 0.20], [0.70, 0.30]]],
    },
    parents={"cancer": ("gene", "tar")},
)
