"""Explain a decision: what each token of a message says, and which tokens say most of all."""

from sms_data import labels, messages

import deciban as db

model = db.TextNB(ngram_range=(1, 2)).fit(messages, labels)
told = model.explain("Hi, it's Kate. Claim your FREE bouquet before Friday!")
print(told.to_text(most=6))
print()
print(f"odds of {10 ** (told.total_db / 10):.0f} to 1 for {told.label}; {told.reasons[0].token!r} says most")
print()
print(model.top_tokens("spam", against="ham", n=5))
