"""A learned network over the party and the votes; a prediction from a single vote."""

from ballots_table import ballots, party

import deciban as db

model = db.BayesNetClassifier(
    "search", criterion="bic", missing="state", target="party"
).fit(ballots, party)
print(
    "Markov blanket of party:",
    ", ".join(sorted(db.markov_blanket(model.dag_, "party"))),
)

same_graph = db.BayesNetClassifier(model.dag_, target="party").fit(ballots, party)
for vote in ("yes", "no"):
    posterior = same_graph.predict_proba_one({"bridge_plan": vote})
    print(f"P(lake | bridge_plan = {vote}) = {posterior['lake']:.3f}")
