"""Leave-one-out predictions are those of a model that was fitted without the document."""

import numpy as np
import pytest

import deciban as db

DOCUMENTS = ["sun sun sea", "rain sea", "rain rain", "sun wind", "wind rain sea", "sun"]
Y = np.array(["dry", "wet", "wet", "dry", "wet", "dry"])


def fit(documents, labels, event):
    return db.NaiveBayes({"text": db.Text(event=event, smoothing=1.0)}, weights=None).fit({"text": documents}, labels)


@pytest.mark.parametrize("event", ["multinomial", "boolean"])
def test_each_document_is_predicted_by_the_others(event):
    found = fit(DOCUMENTS, Y, event).loo_predict_proba({"text": DOCUMENTS}, Y)
    for i, document in enumerate(DOCUMENTS):
        rest = [other for j, other in enumerate(DOCUMENTS) if j != i]
        alone = fit(rest, np.delete(Y, i), event)
        assert found[i] == pytest.approx(alone.predict_proba({"text": [document]})[0], rel=1e-9)
