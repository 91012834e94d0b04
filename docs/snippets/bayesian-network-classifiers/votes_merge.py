"""Merge two models, and remove rows again."""

from votes_table import party, votes

import deciban as db

first, second = db.AODE().fit(votes[:200], party[:200]), db.AODE().fit(votes[200:], party[200:])
whole = db.AODE().fit(votes, party)
print(first.merge(second).tally_ == whole.tally_)
print(whole.forget(votes[:200], party[:200]).tally_ == second.tally_)
