"""A smoothing of your own: Perks's prior, one pseudo-count shared by all states."""

from dataclasses import dataclass

import deciban as db
from deciban.estimate import Smoothing, storable


@storable
@dataclass(frozen=True)
class Perks(Smoothing):
    """a = 1/r for each of r states."""

    def pseudocount(self, states, configurations=1):
        return 1 / max(states, 1)


table = {"sky": ["sun", "sun", "rain", "fog"], "play": ["yes", "yes", "no", "no"]}
model = db.NaiveBayes(smoothing=Perks(), weights=None).fit(table, "play")
print(
    {label: round(p, 3) for label, p in model.predict_proba_one({"sky": "fog"}).items()}
)

net = db.BayesNet(db.DAG([("play", "sky")])).fit(table, smoothing=Perks())
print(round(net.query("sky", {"play": "yes"})["sun"], 3))
