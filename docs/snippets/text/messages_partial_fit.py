"""Learn in batches, merge two models, and remove a message again."""

from messages_table import labels, messages

import deciban as db

whole = db.TextNB().fit(messages, labels)

model = db.TextNB()
for start in range(0, len(messages), 250):
    batch = slice(start, start + 250)
    model.partial_fit(messages[batch], labels[batch])
print("batches = one fit:", model.tally_ == whole.tally_)

first = db.TextNB().fit(messages[:600], labels[:600])
second = db.TextNB().fit(messages[600:], labels[600:])
print("merge = one fit:", first.merge(second).tally_ == whole.tally_)

model.partial_fit(["Free tickets, I have two, come along"], ["spam"])  # a wrong label
model.forget(["Free tickets, I have two, come along"], ["spam"])
print("forget = fit without the message:", model.tally_ == whole.tally_)

try:
    model.forget(["supercalifragilistic"], ["ham"])
except db.errors.DecibanError as error:
    print(error)
