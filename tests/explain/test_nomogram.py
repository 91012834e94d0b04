"""A nomogram lists what each value weighs, the widest scale first, and says how many columns it leaves out."""

import re

import numpy as np

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


def test_a_notebook_shows_a_picture_and_names_are_escaped():
    html = Nomogram("<b>", "no", 0.0, (SKY,))._repr_html_()
    assert html.count("<svg") == 1 and html.count("<circle") == 3
    assert "&lt;sky&gt; rain: -1.0 decibans" in html and "&lt;b&gt;" in html and "<b>" not in html


def test_the_picture_reads_on_light_and_on_dark_paper():
    """Text and lines have the colour of the text around them; no letter has a colour of its own."""
    svg = Nomogram("yes", "no", 0.0, (SKY,)).to_svg()
    style = re.search(r"<style>(.*?)</style>", svg).group(1)
    assert "text{fill:currentColor" in style and "var(" not in style
    assert all(
        rule.startswith(".deciban-chart ") for rule in re.findall(r"[^{},]+(?=[,{])", re.sub(r"{.*?}", "{", style))
    )


def test_numbers_and_bins_are_in_the_order_of_their_values():
    """≤ 10, 10 – 20, > 20 reads as a scale; sorted by weight it does not."""
    rng = np.random.default_rng(0)
    age = rng.uniform(0, 90, 600)
    rooms = rng.integers(1, 6, 600)
    y = np.where(np.abs(age - 45) + 5 * (rooms == 3) + rng.normal(0, 8, 600) < 25, "yes", "no")
    kinds = {"age": db.Binned(), "rooms": db.Categorical()}
    found = db.NaiveBayes(kinds, weights=None).fit({"age": age, "rooms": rooms}, y).nomogram("yes")
    scales = {scale.name: [text for text, _ in scale.in_order()] for scale in found.scales}
    starts = [float(text.split(" – ")[0]) for text in scales["age"][1:-1]]
    assert scales["age"][0].startswith("≤") and scales["age"][-1].startswith(">")
    assert len(starts) > 1 and starts == sorted(starts)
    assert scales["rooms"] == ["1", "2", "3", "4", "5"]
