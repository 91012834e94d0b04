"""Learn from 60 or 150 messages with labels, and from the others without."""

from messages_table import labels, messages, new_labels, new_messages

import deciban as db

for n in (60, 150):
    supervised = db.TextNB("multinomial").fit(messages[:n], labels[:n])
    partial_labels = labels[:n].to_list() + [None] * (len(labels) - n)
    semi_supervised = db.TextEM(unlabelled_weight=0.1).fit(messages, partial_labels)
    print(
        f"{n} labels, {len(labels) - n} messages without: "
        f"{semi_supervised.n_iter_} iterations"
    )
    for name, model in {
        "supervised": supervised,
        "semi-supervised": semi_supervised,
    }.items():
        report = db.evaluate(new_labels, model.predict(new_messages))
        print(
            f"  {name:16} accuracy {report.accuracy:.4f}, "
            f"F1 of spam {report['spam'].f1:.4f}"
        )
