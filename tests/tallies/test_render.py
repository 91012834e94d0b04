"""A tally shows itself as the count tables of a lecture, in text and in HTML, and labels cannot break the page."""

import deciban as db

TALLY = db.tally({"sky": ["sun", "sun", "<b>"], "n": [1.0, 2.0, 6.0], "y": ["no", "no", "yes"]}, target="y")


def test_the_text_has_every_count():
    text = str(TALLY)
    assert text.splitlines()[0] == "Tally of 3 rows, 2 classes of 'y'"
    lines = [line.split() for line in text.splitlines()]
    assert ["sky", "<b>", "0", "1"] in lines
    assert ["sun", "2", "0"] in lines or ["sky", "sun", "2", "0"] in lines


def test_one_row_is_a_row_and_not_rows():
    one = db.tally({"sky": ["sun"], "y": ["no"]}, target="y")
    assert str(one).splitlines()[0] == "Tally of 1 row, 1 class of 'y'"


def test_html_is_escaped():
    html = TALLY._repr_html_()
    assert "<th>&lt;b&gt;</th>" in html and "<b>" not in html
    assert html.count("<tr>") == html.count("</tr>") > 3


def test_many_states_are_cut_short():
    many = db.tally({"c": [f"state {i}" for i in range(100)], "y": [0] * 100}, target="y")
    assert "more" in str(many).splitlines()[-1]


def test_a_column_of_numbers_shows_mean_and_sd_however_it_is_counted():
    """A sum of ages says nothing to a reader; a class without a value has no mean."""
    table = {"age": [20.0, 30.0, 50.0, None], "y": ["no", "no", "yes", "maybe"]}
    for kind in (db.Gaussian(), db.Binned(), db.Kernel(), db.Poisson()):
        tally = db.NaiveBayes({"age": kind}, weights=None).fit(table, "y").tally_
        cells = ["–", "25 ± 5", "50 ± 0"]
        assert "  ".join(["age", "mean ± sd"]) in str(tally) and all(cell in str(tally) for cell in cells), kind
        assert "".join(f"<td>{cell}</td>" for cell in cells) in tally._repr_html_()
