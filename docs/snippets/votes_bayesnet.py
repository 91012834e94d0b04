"""A net over the party and the votes: those that touch the party, and what it says when nothing else is known."""

from votes_table import party, votes

import deciban as db

net = db.BayesNetClassifier(missing="state", target="party").fit(votes, party)
print("the party's Markov blanket:", ", ".join(sorted(db.markov_blanket(net.dag_, "party"))))
given = db.BayesNetClassifier(net.dag_, target="party").fit(votes, party)
for vote in "yn":
    told = given.predict_proba_one({"nicaraguan_contras": vote})
    print(f"nicaraguan_contras = {vote}: republican with {told['republican']:.3f}")
