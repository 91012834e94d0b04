"""5,574 text messages with the label ham or spam; the last 1,574 are test messages."""

import pyarrow.parquet as pq

_table = pq.read_table("../shared/data/text/sms_spam.parquet")

messages, labels = _table["text"][:4000], _table["label"][:4000]
new_messages, new_labels = _table["text"][4000:], _table["label"][4000:]
