"""Conditional mutual information of pairs of votes, given the party."""

from ballots_table import ballots, party

import deciban as db

model = db.TAN().fit(ballots, party)
pairs = model.conditional_mutual_information()
for (a, b), nats in list(pairs.items())[:11]:
    print(f"{nats:.3f}  {a} — {b}")
print(f"…\n{list(pairs.values())[-1]:.3f}  the smallest of {len(pairs)}")
