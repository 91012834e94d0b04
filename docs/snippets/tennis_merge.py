"""Add a week to a tally, take it out again, let it age."""

from playtennis import days

import deciban as db

first = db.tally({name: column[:10] for name, column in days.items()}, target="play")
later = db.tally({name: column[10:] for name, column in days.items()}, target="play")
whole = first + later

print(whole == db.tally(days, target="play"))
print(whole - later == first)
print((first.scaled(0.5) + later).marginal("wind"))
