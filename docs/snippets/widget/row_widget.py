"""Change a value of a row, and read the posterior."""

from playtennis import days

import deciban as db

model = db.NaiveBayes().fit(days, "play")
day = {"outlook": "sunny", "temperature": "cool", "humidity": "high", "wind": "strong"}
widget = model.widget(day)
print(f"{widget.posterior['yes']:.3f}")

# The picture changes as if a value had been chosen.
widget.row = {**day, "outlook": "overcast"}
print(f"{widget.posterior['yes']:.3f}")
