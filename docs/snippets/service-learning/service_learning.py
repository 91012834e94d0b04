"""A model that learns durably, and a request that is sent twice."""

from tempfile import TemporaryDirectory

import deciban as db
from deciban.serve.learning.live_model import LiveModel

days = [
    {"sky": "sun", "wind": "weak"},
    {"sky": "rain", "wind": "strong"},
    {"sky": "sun", "wind": "strong"},
]

with TemporaryDirectory() as folder:
    path = f"{folder}/days.deciban"
    db.save(db.NaiveBayes().fit(days, ["play", "stay", "play"]), path)

    live = LiveModel.open(path)
    before = live.model
    print(live.learn([{"sky": "rain", "wind": "weak"}], ["stay"], key="monday-1"))
    print(live.learn([{"sky": "rain", "wind": "weak"}], ["stay"], key="monday-1"))
    print(before.tally_.total, live.model.tally_.total, db.load(path).tally_.total)
    live.close()
    print(db.load(path).tally_.total)
