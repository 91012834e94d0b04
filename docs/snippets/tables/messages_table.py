"""1,500 made-up messages with the label ham or spam; the last 500 are test messages."""

import pandas as pd

_table = pd.read_csv("messages.csv")

messages, labels = _table["text"][:1000], _table["label"][:1000]
new_messages, new_labels = _table["text"][1000:], _table["label"][1000:]
