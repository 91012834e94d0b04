"""A learned network over the party and the votes: the Markov blanket, and a prediction from a single vote."""

from votes_table import party, votes

import deciban as db

model = db.BayesNetClassifier("search", criterion="bic", missing="state", target="party").fit(votes, party)
print("Markov blanket of party:", ", ".join(sorted(db.markov_blanket(model.dag_, "party"))))

same_graph = db.BayesNetClassifier(model.dag_, target="party").fit(votes, party)
for vote in "yn":
    posterior = same_graph.predict_proba_one({"nicaraguan_contras": vote})
    print(f"P(republican | nicaraguan_contras = {vote}) = {posterior['republican']:.3f}")
