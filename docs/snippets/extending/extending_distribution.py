"""A distribution of your own: the geometric, for the failures before a success."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import deciban as db
from deciban.errors import InputError
from deciban.estimate import ColumnLikelihood, MomentsDistribution, storable
from deciban.tallies import Spread


@storable
@dataclass(frozen=True, kw_only=True)
class Geometric(MomentsDistribution):
    """P(x | j) = p_j·(1 − p_j)^x, p_j = (n_j + 1) / (n_j + 2 + the sum of x in j)."""

    def check_numbers(self, name, values):
        known = values[~np.isnan(values)]
        if (known < 0).any() or (known % 1).any():
            raise InputError(
                f"column {name!r} is Geometric, which takes the numbers 0, 1, 2, …."
            )

    def estimate(self, parts):
        moments = Spread.side_by_side(parts)  # weight, mean, deviation: class × column
        n, total = moments.weight, moments.weight * moments.mean
        return GeometricLikelihood((n + 1) / (n + 2 + total))

    def n_parameters(self, parts):
        return sum(part.classes for part in parts)


class GeometricLikelihood(ColumnLikelihood):
    """log P(x | class), from class × column probabilities of success."""

    def __init__(self, p):
        self.p = p

    @property
    def classes(self):
        return len(self.p)

    def column(self, i, values):
        p = self.p[:, i]
        return np.log(p) + values[:, None] * np.log1p(-p)

    def draw(self, i, y, rng):
        return rng.geometric(self.p[y, i]) - 1


calls = {"tries": [0, 1, 0, 2, 0, 7, 3, 9, 4, 6], "day": list("mmtwtmmttw")}
answer = ["sale"] * 5 + ["none"] * 5
model = db.NaiveBayes({"tries": Geometric()}, weights=None).fit(calls, answer)
print(model.schema_)
print(model.explain({"tries": 5, "day": "m"}))
print(model.n_parameters_, model.sample(3, random_state=0)[0]["tries"].to_pylist())
with TemporaryDirectory() as folder:
    db.save(model, Path(folder) / "calls.deciban")
    print(db.load(Path(folder) / "calls.deciban").predict_one({"tries": 1, "day": "t"}))
