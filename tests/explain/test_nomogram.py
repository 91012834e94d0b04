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


SKY = Scale("<sky>", (("sun", 2.0), ("rain", -1.0)))


def test_repr_is_one_line():
    assert repr(Nomogram("yes", "no", 1.25, (SKY,))) == "Nomogram(yes against no, 1 column, prior +1.2 decibans)"
    assert repr(Nomogram("yes", "no", 0.0, (SKY,), columns=12)).count("12 columns") == 1


def test_hidden_columns_are_counted_in_singular_and_plural():
    assert Nomogram("yes", "no", 0.0, (SKY,), columns=2).to_text().endswith("and 1 more column")
    assert Nomogram("yes", "no", 0.0, (SKY,), columns=3).to_text().endswith("and 2 more columns")
    assert "and 1 more column<" in Nomogram("yes", "no", 0.0, (SKY,), columns=2)._repr_html_()


def test_html_has_a_row_for_each_column_and_is_escaped():
    html = Nomogram("<b>", "no", 0.0, (SKY,))._repr_html_()
    assert "<th>&lt;sky&gt;</th><td>rain -1.0, sun +2.0</td>" in html
    assert "decibans for &lt;b&gt; against no" in html
