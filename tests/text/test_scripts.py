"""Scripts without spaces are found, and split into characters by all text models."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import deciban as db
from deciban.errors import DecibanWarning
from deciban.text.analyzer import count_words, is_spaceless

CHINESE = ["今天天气很好", "天气好", "公园很脏", "很脏很乱"]
Y = ["+", "+", "-", "-"]


@pytest.mark.parametrize(
    "text",
    ["今天天气很好", "きょうは いい", "カタカナ", "สวัสดีครับ", "ສະບາຍດີ", "សួស្តី", "မင်္ဂလာပါ", "我用 python 写代码很多年了"],
)
def test_scripts_without_spaces(text):
    assert is_spaceless([text])
    assert is_spaceless([text.encode(), b"", "42"])
    assert is_spaceless(pa.array([text, text, "hello"]))


@pytest.mark.parametrize("text", ["hello", "Привет", "오늘 날씨", "مرحبا", "नमस्ते", "é", "the sign 字", "", "123"])
def test_scripts_with_spaces(text):
    assert not is_spaceless([text])


def test_most_documents_decide():
    assert not is_spaceless([])
    assert is_spaceless(["字"] * 3 + ["word"] * 2)
    assert not is_spaceless(["字"] * 2 + ["word"] * 2)
    assert (count_words("to be"), count_words("今天天气很好"), count_words("")) == (2, 3, 0)


def test_a_text_model_says_what_it_chose_and_keeps_it(tmp_path):
    model = db.TextNB().fit(CHINESE, Y)
    assert model.analyzer_ == "char"
    assert model.tally_.parts[0].rules.ngram_range == (1, 3)
    assert model.predict(["好天气", "脏"]).tolist() == ["+", "-"]
    named = db.TextNB(analyzer="char", ngram_range=(1, 3)).fit(CHINESE, Y)
    assert np.array_equal(model.predict_proba(CHINESE), named.predict_proba(CHINESE))
    model.partial_fit(["good weather", "bad weather"], ["+", "-"])  # kept
    assert model.analyzer_ == "char"
    assert model.learn_one("天气", "+").predict_one("天气") == "+"
    db.save(model, tmp_path / "model")
    loaded = db.load(tmp_path / "model")
    assert loaded.analyzer_ == "char"
    assert loaded.partial_fit(["乱"], ["-"]).predict(["乱"]).tolist() == ["-"]
    assert db.TextNB.from_tally(model.tally_).analyzer_ == "char"
    assert db.TextNB().fit(["good", "bad"], [1, 0]).analyzer_ == "word_emoji"
    assert model.fit(["good film", "bad film"], [1, 0]).analyzer_ == "word_emoji"  # decided again


def test_what_is_meant_for_words_stays_with_words():
    assert db.TextNB(tokenizer=list).fit(CHINESE, Y).analyzer_ is None
    assert db.TextNB(longest=9).fit(CHINESE, Y).analyzer_ == "word_emoji"
    assert db.TextNB(analyzer="word").fit(CHINESE, Y).analyzer_ == "word"
    assert db.TextNB(ngram_range=(2, 4)).fit(CHINESE, Y).tally_.parts[0].rules.ngram_range == (2, 4)
    assert db.TextEM().fit([*CHINESE, "天气"], [*Y, None]).predict(["天气"]).tolist() == ["+"]


def test_a_text_column_says_so_in_its_plan():
    rng = np.random.default_rng(0)
    good, bad = "今天天气很好我们去公园散步", "房间很脏服务很差不会再来了"
    texts = ["".join(rng.permutation(list(good if i % 2 else bad))) for i in range(60)]
    table = pd.DataFrame({"review": texts, "stars": np.arange(60) % 7})
    model = db.NaiveBayes().fit(table, np.arange(60) % 2)
    plan = model.schema_["review"]
    assert plan.distribution.analyzer == "char"
    assert "n-grams of characters" in plan.reason
    assert model.predict(pd.DataFrame({"review": ["天气很好", "很差"], "stars": [1, 1]})).tolist() == [1, 0]
    assert model.partial_fit(table, np.arange(60) % 2).tally_.total == 120
    assert (
        db.NaiveBayes({"review": db.Text()})
        .fit(table, np.arange(60) % 2)
        .schema_["review"]
        .reason.startswith("as given;")
    )
    assert (
        db.NaiveBayes.from_tally(model.tally_, columns={"review": db.Text()}).schema_["review"].distribution.analyzer
        == "char"
    )


def test_a_column_without_tokens_is_a_warning():
    table = pd.DataFrame({"note": ["?"] * 12})
    with pytest.warns(DecibanWarning, match="no text has a token"):
        db.NaiveBayes({"note": db.Text()}).fit(table, [0, 1] * 6)
    model = db.NaiveBayes({"note": db.Text()}).fit(pd.DataFrame({"note": ["sun sea", "rain"] * 6}), [0, 1] * 6)
    with pytest.warns(DecibanWarning, match="texts of column 'note' have no known token"):
        model.predict(table)
