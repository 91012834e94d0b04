"""Five event models on the same messages."""

from messages_table import labels, messages, new_labels, new_messages

import deciban as db

for event in ("boolean", "multinomial", "bernoulli", "complement", "twcnb"):
    model = db.TextNB(event).fit(messages, labels)
    report = db.evaluate(new_labels, model.predict(new_messages))
    print(
        f"{event:12} accuracy {report.accuracy:.4f}, F1 of spam {report['spam'].f1:.4f}"
    )
