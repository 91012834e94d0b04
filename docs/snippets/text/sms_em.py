"""Sixty messages with labels, and 3,940 without."""

from sms_data import labels, messages, new_labels, new_messages

import deciban as db

n_labelled = 60
partial_labels = labels.to_pylist()[:n_labelled] + [None] * (len(labels) - n_labelled)

supervised = db.TextNB("multinomial").fit(messages[:n_labelled], labels[:n_labelled])
semi_supervised = db.TextEM(unlabelled_weight=0.1).fit(messages, partial_labels)
for name, model in {"supervised": supervised, "semi-supervised": semi_supervised}.items():
    report = db.evaluate(new_labels, model.predict(new_messages))
    print(f"{name:16} accuracy {report.accuracy:.4f}, F1 of spam {report['spam'].f1:.4f}")
print(semi_supervised.n_iter_, "iterations")
