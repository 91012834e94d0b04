"""Explain a prediction token by token, and list the tokens with the largest weights."""

from messages_table import labels, messages

import deciban as db

model = db.TextNB(ngram_range=(1, 2)).fit(messages, labels)
explanation = model.explain("Hi, it's Kate. Claim your FREE bouquet before Friday!")
print(explanation.to_text(most=6))
print()
print(f"odds of {10 ** (explanation.total_db / 10):.0f} to 1 for {explanation.label}")
print(f"token with the largest weight: {explanation.reasons[0].token}")
print()
print(model.top_tokens("spam", against="ham", n=5))
