"""Documents without known tokens, a higher temperature, and rejection."""

from sms_data import labels, messages

import deciban as db

model = db.TextNB().fit(messages, labels)
documents = ["Zwölf Boxkämpfer", "call the office"]
print(model.known_tokens(documents), model.predict_proba(documents).round(3).tolist())

tempered = db.TextNB.from_tally(model.tally_, temperature=3)
print(tempered.predict_proba(documents).round(3).tolist())

rejecting = db.TextNB.from_tally(model.tally_, reject=0.9)
print(rejecting.predict(documents).tolist())
