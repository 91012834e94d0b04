"""Merge two models, and remove rows again."""

from ballots_table import ballots, party

import deciban as db

first = db.AODE().fit(ballots[:200], party[:200])
second = db.AODE().fit(ballots[200:], party[200:])
whole = db.AODE().fit(ballots, party)
print(first.merge(second).tally_ == whole.tally_)
print(whole.forget(ballots[:200], party[:200]).tally_ == second.tally_)
