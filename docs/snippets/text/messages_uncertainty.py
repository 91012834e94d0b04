"""Documents without known tokens, the temperature, and rejection."""

from messages_table import labels, messages

import deciban as db

model = db.TextNB().fit(messages, labels)
documents = ["Zwölf Boxkämpfer", "call the office"]
print(model.known_tokens(documents), model.predict_proba(documents).round(3).tolist())

print(f"temperature {model.temperature_:.1f}")

textbook = db.TextNB(temperature=None).fit(messages, labels)
print(textbook.predict_proba(documents).round(3).tolist())

rejecting = db.TextNB(reject=0.9).fit(messages, labels)
print(rejecting.predict(documents).tolist())
