"""Files that were written before text settings took scikit-learn's names load, predict the same and go on learning."""

from pathlib import Path

import pytest

import deciban as db

FILES = Path(__file__).parent / "files"
NEW = ["a free lunch", "prize", "Café noon"]
SPAM = {  # P(spam) of these documents, by the build that wrote the files
    "text_nb": [0.4946456880660305, 0.754567147084089, 0.3597867930115487],
    "text_nb_chars": [4.3979153588222774e-05, 0.9999999996969366, 0.0002649253031073577],
    "log_count_ratio": [0.5024393867971523, 0.5718266816772366, 0.46443561594109656],
    "text_em": [0.5069992472827085, 0.6779824623349712, 0.3367061072017252],
    "naive_bayes_text": [0.6419197743646079, 0.8405253283302064, 0.393939393939394],
}


@pytest.mark.parametrize("name", SPAM)
def test_an_older_file_predicts_the_same(name, tmp_path):
    model = db.load(FILES / f"{name}.deciban")
    X = {"subject": NEW, "links": [1, 2, 3]} if name == "naive_bayes_text" else NEW
    assert model.classes_.tolist() == ["ham", "spam"]
    assert model.predict_proba(X)[:, 1].tolist() == pytest.approx(SPAM[name], rel=1e-9)
    db.save(model, tmp_path / "again")
    assert db.load(tmp_path / "again").predict_proba(X).tolist() == model.predict_proba(X).tolist()


def test_the_settings_have_todays_names():
    model = db.load(FILES / "text_nb.deciban")
    expected = {"analyzer": "word_punct", "ngram_range": (1, 2), "lowercase": False, "strip_accents": "unicode"}
    assert {name: model.get_params()[name] for name in expected} == expected
    assert model.learn_one("free lunch", "spam").tally_.total == 5
    characters = db.load(FILES / "text_nb_chars.deciban")
    assert (characters.analyzer, characters.ngram_range) == ("char_wb", (2, 3))
    column = db.load(FILES / "naive_bayes_text.deciban").schema_["subject"].distribution
    assert (column.analyzer, column.ngram_range, column.strip_accents) == ("unicode_word", (1, 2), "ascii")
