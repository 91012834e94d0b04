"""Count partitions with Dask, and add the tallies."""

import dask
import numpy as np
import pandas as pd

import deciban as db


def load(month: int) -> pd.DataFrame:
    """One partition of the data; it may come from a file of its own."""
    rng = np.random.default_rng(month)
    carrier = rng.choice(["north", "south", "west"], 1000)
    distance = rng.gamma(4.0, 250.0, 1000)
    late = rng.random(1000) < 0.2 + 0.2 * (carrier == "west") + 0.0002 * (
        distance > 1500
    )
    return pd.DataFrame(
        {
            "carrier": carrier,
            "distance": distance,
            "late": np.where(late, "late", "on time"),
        }
    )


def count(month: int, schema: object) -> db.Tally:
    """The tally of one partition; with the schema all count their columns alike."""
    return db.NaiveBayes(columns=schema, weights=None).fit(load(month), "late").tally_


plan = db.NaiveBayes().fit(
    load(0), "late"
)  # a sample decides which distribution each column has
tallies = [dask.delayed(count)(month, plan.schema_) for month in range(12)]
total = dask.delayed(sum)(tallies).compute()

model = db.NaiveBayes.from_tally(total, columns=plan.schema_, weights=plan.weights_)
print(
    total.total,
    "rows:",
    dict(zip(model.classes_, total.class_counts.tolist(), strict=True)),
)
beliefs = model.predict_proba_one({"carrier": "west", "distance": 700.0})
print({label: round(belief, 6) for label, belief in beliefs.items()})
