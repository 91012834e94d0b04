"""Log-count ratios with a logistic regression: fit, explain, save and load."""

from pathlib import Path
from tempfile import TemporaryDirectory

from messages_table import labels, messages, new_labels, new_messages

import deciban as db

model = db.LogCountRatio(ngram_range=(1, 2)).fit(messages, labels)
report = db.evaluate(new_labels, model.predict(new_messages))
print(f"accuracy {report.accuracy:.4f}, F1 of spam {report['spam'].f1:.4f}")
for name, weight in model.explain("Claim your free bouquet!").weights(4):
    print(f"{weight:+6.1f}  {name}")

with TemporaryDirectory() as folder:
    path = Path(folder) / "ratio.deciban"
    db.save(model, path)
    print((db.load(path).predict(new_messages) == model.predict(new_messages)).all())
