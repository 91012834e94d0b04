"""Handwritten digits, read from interactions of pixels; then rows come and go."""

from sklearn.datasets import load_digits

import deciban as db

pixels, digit = load_digits(return_X_y=True, as_frame=True)
train, test = slice(0, 1200), slice(1200, None)

for model in (db.NaiveBayes(), db.CountForest()):
    right = model.fit(pixels[train], digit[train]).score(pixels[test], digit[test])
    print(f"{type(model).__name__:<11} accuracy {right:.3f}")

model.partial_fit(pixels[test], digit[test]).forget(pixels[:100], digit[:100])
print("learned:", model.tally_.total, "rows")
