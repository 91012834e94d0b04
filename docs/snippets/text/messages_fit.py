"""Fit a model on raw messages, and evaluate it on the test messages."""

from messages_table import labels, messages, new_labels, new_messages

import deciban as db

model = db.TextNB().fit(messages, labels)
print(
    model.predict(
        ["Are you home yet?", "WINNER! Claim your prize, call 09061701461 now"]
    )
)
print(model.predict_proba(["Call me when you are home"]).round(4))
print(db.evaluate(new_labels, model.predict(new_messages)))
