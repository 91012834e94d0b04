"""A nomogram lists what each value weighs, the widest scale first, and says how many columns it leaves out."""

import deciban as db
from deciban.explain.nomogram import Nomogram, Scale

SCALES = (Scale("sky", (("sun", -3.0), ("rain", 5.0))), Scale("wind", (("weak", 1.0),)))


def test_a_scale_reaches_over_zero():
    assert SCALES[0].reach == 8.0


def test_columns_that_are_not_shown_are_counted():
    assert Nomogram("yes", "no", 0.0, SCALES, columns=5).hidden == 3
    assert Nomogram("yes", "no", 0.0, SCALES).hidden == 0


def test_the_values_of_a_model_stand_in_the_text():
    table = {"sky": ["sun", "sun", "rain", "rain"], "wind": ["weak", "strong", "weak", "strong"]}
    model = db.NaiveBayes().fit(table, ["no", "no", "yes", "yes"])
    text = model.nomogram("yes", against="no").to_text()
    weight = model.evidence({"sky": ["rain"], "wind": ["weak"]}).weights_db("yes", "no")[0, 0]
    assert f"{weight:+.1f}" in text and "rain" in text
    assert text.index("sky") < text.index("wind")
