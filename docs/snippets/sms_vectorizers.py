"""The tokenizer alone, as scikit-learn's transformers."""

from sklearn.feature_extraction.text import CountVectorizer
from sms_data import messages

import deciban as db

ours = db.CountVectorizer(ngram_range=(1, 2), min_df=2)
matrix = ours.fit_transform(messages)
theirs = CountVectorizer(ngram_range=(1, 2), min_df=2)
same = (matrix != theirs.fit_transform(messages.to_pylist())).nnz == 0
print(matrix.shape, "the same:", same and list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out()))
print(db.HashingVectorizer(n_features=2**12).transform(messages).shape)
