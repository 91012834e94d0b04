"""A nomogram shows itself in one line, in text and in HTML; labels and values from data are escaped."""

from deciban.explain.nomogram import Nomogram, Scale

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


def test_the_range_of_a_scale():
    assert SKY.reach == 3.0
    assert Scale("empty", ()).reach == 0.0
