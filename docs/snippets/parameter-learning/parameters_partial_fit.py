"""Learn in batches, merge two nets, and forget rows."""

from garden import days, graph

import deciban as db

first, second = (
    {name: column[rows] for name, column in days.items()}
    for rows in (slice(0, 6), slice(6, 10))
)
whole = db.BayesNet(graph).fit(days)
print(db.BayesNet(graph).fit(first).partial_fit(second) == whole)
print(db.BayesNet(graph).fit(first).merge(db.BayesNet(graph).fit(second)) == whole)
print(db.BayesNet(graph).fit(days).forget(second) == db.BayesNet(graph).fit(first))
print(whole.tally_ - db.BayesNet(graph).fit(second).tally_)
