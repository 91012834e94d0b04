"""Other tokens, other smoothing, fewer tokens: what each does to the decisions."""

from sms_data import labels, messages, new_labels, new_messages

import deciban as db

settings = {
    "words": {},
    "words and punctuation": {"analyzer": "word_punct"},
    "words and pairs": {"ngram_range": (1, 2)},
    "2 to 4 characters": {"analyzer": "char_wb", "ngram_range": (2, 4)},
    "as written": {"lowercase": False},
    "add one": {"smoothing": db.Laplace()},
    "the best 500": {"select": 500, "measure": "mi"},
    "at least 3 times": {"min_count": 3},
    "hashed": {"n_bits": 14},
}
for name, chosen in settings.items():
    model = db.TextNB(**chosen).fit(messages, labels)
    f1 = db.evaluate(new_labels, model.predict(new_messages))["spam"].f1
    print(f"{name:22} {len(model.vocabulary_) or 'no':>6} tokens, F1 of spam {f1:.4f}")

counted = db.TextNB().fit(messages, labels).tally_
pruned = db.TextNB.from_tally(counted, drop_top=100, min_count=3)
print(len(pruned.vocabulary_), "tokens left, without counting again")
