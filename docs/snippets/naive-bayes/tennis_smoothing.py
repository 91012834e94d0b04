"""Four smoothing rules on the same counts."""

from playtennis import day, days

import deciban as db

counts = db.tally(days, target="play")
overcast = day | {"outlook": ["overcast"]}
for rule in (db.MLE(), db.Laplace(), db.Jeffreys(), db.Lidstone(0.1)):
    model = db.CategoricalNB.from_tally(counts, alpha=rule.alpha)
    sunny_no = model.predict_proba(day)[0, 0]
    overcast_no = model.predict_proba(overcast)[0, 0]
    print(
        f"{type(rule).__name__:9} P(no | sunny …) = {sunny_no:.3f}   "
        f"P(no | overcast …) = {overcast_no:.3f}"
    )
