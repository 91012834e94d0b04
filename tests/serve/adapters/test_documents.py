"""Documents: a text is a row of a text model."""

import pytest

import deciban as db
from deciban.errors import DecibanError
from deciban.serve.adapters import TextClassifier
from tests.serve.client import text_model

TEXTS = ["win cheap money", "hello friend"]


def test_posteriors_are_those_of_the_model():
    adapter = TextClassifier(text_model())
    found = adapter.predict(TEXTS)
    assert [list(one["probabilities"].values()) for one in found] == text_model().predict_proba(TEXTS).tolist()
    assert [one["label"] for one in found] == ["spam", "ham"]
    assert adapter.predict_one(TEXTS[0]) == found[0]
    assert adapter.rows_of("a") == (["a"], True) and adapter.rows_of(TEXTS) == (TEXTS, False)


def test_an_explanation_lists_the_tokens():
    found = TextClassifier(text_model()).explain("money friend zebra")
    assert {reason["token"] for reason in found["reasons"]} == {"money", "friend"} and found["unknown"] == ["zebra"]
    total = found["prior_db"] + sum(reason["weight_db"] for reason in found["reasons"])
    assert abs(total - found["total_db"]) < 1e-9


def test_the_answer_to_a_long_document_is_short():
    document = " ".join(f"win{i} money cheap" for i in range(50_000))
    found = TextClassifier(text_model()).explain(document)
    assert len(str(found)) < 3_000 and found["unknown_count"] == 50_000 and len(found["unknown"]) == 50
    words = [f"w{i}" for i in range(300)]
    many = db.TextNB("bernoulli").fit([" ".join(words), "lunch"] * 3, ["spam", "ham"] * 3)
    found = TextClassifier(many).explain(" ".join(words * 100))
    assert len(found["reasons"]) == 50 and found["others"]["count"] == 250
    parts = found["prior_db"], found["absent_db"], found["others"]["weight_db"]
    total = sum(parts) + sum(reason["weight_db"] for reason in found["reasons"])
    assert total == pytest.approx(found["total_db"])


@pytest.mark.parametrize("wrong", [3, None, {"text": "a"}, ["a"], True])
def test_what_is_no_text_is_refused(wrong):
    with pytest.raises(DecibanError, match="document 1 is a"):
        TextClassifier(text_model()).predict(["a", wrong])


def test_the_tensor_is_named_text():
    adapter = TextClassifier(text_model())
    found = adapter.infer({"text": TEXTS}, ["label", "probabilities"])
    assert found == {"label": ["spam", "ham"], "probabilities": text_model().predict_proba(TEXTS).ravel().tolist()}
    with pytest.raises(DecibanError, match="one tensor named 'text'"):
        adapter.infer({"words": TEXTS}, ["label"])


def test_the_other_text_models_are_served_as_well():
    labels = ["spam", "ham"] * 4
    for model in (db.LogCountRatio(), db.AutoText(), db.TextEM()):
        adapter = TextClassifier(model.fit(TEXTS * 4, labels))
        assert [found["label"] for found in adapter.predict(TEXTS)] == ["spam", "ham"]
        assert adapter.explain(TEXTS[0])["label"] == "spam" and adapter.describe()["classes"] == ["ham", "spam"]
