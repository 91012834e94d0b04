"""Learn messages from a file, and limit the number of tokens in memory."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from sms_data import labels, messages

import deciban as db

rows = [{"text": t, "label": c} for t, c in zip(messages.to_pylist(), labels.to_pylist(), strict=True)]

with TemporaryDirectory() as folder:
    path = Path(folder) / "messages.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    model = db.TextNB().fit_files(path, text="text", target="label")
    small = db.TextNB(max_terms=1000).fit_files(path)

whole = db.TextNB().fit(messages, labels)
print("file = fit:", model.tally_.parts == whole.tally_.parts)
print(model.predict(["WINNER! Claim your prize, call 09061701461 now"]))

bag = small.tally_.parts[0]
print(bag, f"- a count is too small by at most {bag.error:g}")
