"""The tokenizer as scikit-learn transformers."""

import sklearn.feature_extraction.text
from messages_table import messages

import deciban as db

ours = db.CountVectorizer(ngram_range=(1, 2), min_df=2)
theirs = sklearn.feature_extraction.text.CountVectorizer(ngram_range=(1, 2), min_df=2)
matrix, expected = ours.fit_transform(messages), theirs.fit_transform(messages)
print(matrix.shape)
print("equal matrices:", (matrix != expected).nnz == 0)
print(
    "equal names:",
    list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out()),
)
print(db.HashingVectorizer(n_features=2**12).transform(messages).shape)
