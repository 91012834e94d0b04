"""Add counts, subtract them, and scale them down."""

from playtennis import days

import deciban as db

first = db.tally({name: column[:10] for name, column in days.items()}, target="play")
second = db.tally({name: column[10:] for name, column in days.items()}, target="play")
total = first + second

print(total == db.tally(days, target="play"))
print(total - second == first)
print((first.scaled(0.5) + second).marginal("wind"))
