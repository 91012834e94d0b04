"""Make the report on a model of fourteen days, and write it to a file."""

from pathlib import Path
from tempfile import TemporaryDirectory

from playtennis import days

import deciban as db

model = db.NaiveBayes().fit(days, "play")
report = db.report(model, days, "play", title="Will they play tennis?")

with TemporaryDirectory() as folder:
    path = report.save(Path(folder) / "tennis.html")
    print(path.name, "begins with", path.read_text(encoding="utf-8")[:15])
