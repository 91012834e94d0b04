"""Sixty labels, and thousands of messages without one."""

from sms_data import labels, messages, new_labels, new_messages

import deciban as db

few = 60
known = labels.to_pylist()[:few] + [None] * (len(labels) - few)

alone = db.TextNB("multinomial").fit(messages[:few], labels[:few])
together = db.TextEM(unlabelled_weight=0.1).fit(messages, known)
for name, model in (("60 labels alone", alone), ("and 3,940 without", together)):
    report = db.evaluate(new_labels, model.predict(new_messages))
    print(f"{name:18} accuracy {report.accuracy:.4f}, F1 of spam {report['spam'].f1:.4f}")
print(together.n_iter_, "steps")
