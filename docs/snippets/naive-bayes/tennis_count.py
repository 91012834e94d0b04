"""Count the table."""

from playtennis import days

import deciban as db

print(db.tally(days, target="play"))
