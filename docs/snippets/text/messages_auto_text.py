"""Words and characters together: fit, the weights of the parts, explain."""

from messages_table import labels, messages, new_labels, new_messages

import deciban as db

model = db.AutoText().fit(messages, labels)
report = db.evaluate(new_labels, model.predict(new_messages))
print(f"accuracy {report.accuracy:.4f}, F1 of spam {report['spam'].f1:.4f}")
print(model.report())
