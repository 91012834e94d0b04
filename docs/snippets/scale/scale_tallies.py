"""One tally for each part, saved, loaded and added."""

from scale_data import folder

import deciban as db

for part in sorted(folder.glob("*.csv")):
    db.save(db.tally(part, target="buys"), part.with_suffix(".tally"))

tallies = [db.load(path) for path in sorted(folder.glob("*.tally"))]
whole = sum(tallies)
print(whole == db.tally(folder, target="buys"), repr(db.NaiveBayes.from_tally(whole)))
