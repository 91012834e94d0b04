"""Measure the arrows of a net, and how often a search finds them again."""

from clinic import net

import deciban as db

print(net.arrow_strengths())

rows = net.sample(2000, random_state=0)
print(db.search(rows).bootstrap(50))
