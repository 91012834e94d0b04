"""Documents of which nothing is known, and posteriors that are less sure."""

from sms_data import labels, messages

import deciban as db

model = db.TextNB().fit(messages, labels)
odd = ["Zwölf Boxkämpfer", "call the office"]
print(model.known_tokens(odd), model.predict_proba(odd).round(3).tolist())

cooler = db.TextNB.from_tally(model.tally_, temperature=3)
print(cooler.predict_proba(odd).round(3).tolist())

careful = db.TextNB.from_tally(model.tally_, reject=0.9)
print(careful.predict(odd).tolist())
