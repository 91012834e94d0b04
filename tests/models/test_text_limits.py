"""Tables of classes × tokens or documents × classes are refused before memory is taken."""

import pytest

import deciban as db
from deciban.errors import TooLargeError

N = 300
X, Y = [f"w{i} v{i} both" for i in range(N)], list(range(N))


@pytest.mark.parametrize(
    "model", [db.LogCountRatio(), db.TextEM(), db.TextNB("multinomial", smoothing=0)], ids=["ratio", "em", "mle"]
)
def test_many_classes_and_tokens_are_refused(model, monkeypatch):
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", "500000")
    with pytest.raises(TooLargeError, match="classes"):
        model.fit(X, Y)


def test_sparse_models_learn_them(monkeypatch):
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", "500000")
    model = db.TextNB().fit(X, Y)
    assert model.predict(X[:50]).tolist() == Y[:50]
    with pytest.raises(TooLargeError, match="documents × classes"):
        model.known_tokens(X)


def test_sixty_thousand_classes():
    many = 60_000
    model = db.TextNB(smoothing=1.0).fit([f"w{i}" for i in range(many)], range(many))
    assert model.predict_one("w77") == 77
    with pytest.raises(TooLargeError):
        db.LogCountRatio().fit([f"w{i}" for i in range(many)], range(many))
