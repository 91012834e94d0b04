"""The effect of the tokens, the smoothing and the vocabulary on the F1 score."""

from messages_table import labels, messages, new_labels, new_messages

import deciban as db

settings = {
    "words": {},
    "words and punctuation": {"analyzer": "word_punct"},
    "words and word pairs": {"ngram_range": (1, 2)},
    "2 to 4 characters": {"analyzer": "char_wb", "ngram_range": (2, 4)},
    "no lowercasing": {"lowercase": False},
    "Laplace smoothing": {"smoothing": db.Laplace()},
    "200 best words": {"select": 200, "measure": "mi"},
    "at least 3 times": {"min_count": 3},
    "hashed": {"n_bits": 10},
}
for name, arguments in settings.items():
    model = db.TextNB(**arguments).fit(messages, labels)
    f1 = db.evaluate(new_labels, model.predict(new_messages))["spam"].f1
    print(f"{name:22} {len(model.vocabulary_) or '—':>6} tokens, F1 of spam {f1:.4f}")

counts = db.TextNB().fit(messages, labels).tally_
pruned = db.TextNB.from_tally(counts, drop_top=50, min_count=3)
print(len(pruned.vocabulary_), "tokens after pruning the same counts")
