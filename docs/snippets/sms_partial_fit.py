"""Learn in parts, on two machines, and take a message out again."""

from sms_data import labels, messages

import deciban as db

whole = db.TextNB().fit(messages, labels)

model = db.TextNB()
for first in range(0, len(messages), 1000):
    model.partial_fit(messages[first : first + 1000], labels[first : first + 1000])
print("parts = whole:", model.tally_ == whole.tally_)

here = db.TextNB().fit(messages[:2500], labels[:2500])
there = db.TextNB().fit(messages[2500:], labels[2500:])
print("merged = whole:", here.merge(there).tally_ == whole.tally_)

model.partial_fit(["Free tickets, I have two, come along"], ["spam"])  # a mistake
model.forget(["Free tickets, I have two, come along"], ["spam"])
print("forgotten = never learned:", model.tally_ == whole.tally_)

try:
    model.forget(["supercalifragilistic"], ["ham"])
except db.errors.DecibanError as error:
    print(error)
