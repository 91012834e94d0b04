"""One prediction explained, from evidence made by hand: what a user reads must be the arithmetic of the prediction."""

import math
import re

import numpy as np
import pytest

from deciban.errors import ParameterError
from deciban.estimate.values import short_number
from deciban.explain import DocumentExplanation, Evidence, Mark, Nomogram, Scale, TokenReason, TopTokens, explain


def evidence_of(prior, *columns, classes=("no", "yes"), names=None):
    """One row's evidence: a column's probabilities in each class."""
    names = names or tuple(f"c{i}" for i in range(len(columns)))
    with np.errstate(divide="ignore"):
        return Evidence(np.array(classes, dtype=object), names, np.log(prior), np.log([columns]))


# PlayTennis (Mitchell, section 6.9.1): sunny, cool, high, strong; 0.0053 for yes, 0.0206 for no.
DAY = ["sunny", "cool", "high", "strong"]
TENNIS = evidence_of(
    [5 / 14, 9 / 14],
    [3 / 5, 2 / 9],
    [1 / 5, 3 / 9],
    [4 / 5, 3 / 9],
    [3 / 5, 3 / 9],
    names=("sky", "air", "damp", "wind"),
)


def test_the_best_class_is_held_against_the_runner_up():
    told = explain(TENNIS, DAY)
    assert (told.label, told.against) == ("no", "yes")
    assert told.joint == pytest.approx((18 / 875, 1 / 189))
    assert told.priors == pytest.approx((5 / 14, 9 / 14))
    assert [reason.value for reason in told.reasons] == DAY
    assert told.reasons[0].likelihoods == pytest.approx((3 / 5, 2 / 9))
    assert told.reasons[0].weight_db == pytest.approx(10 * math.log10(27 / 10))
    assert told.prior_db == pytest.approx(10 * math.log10(5 / 9))
    assert told.total_db == pytest.approx(10 * math.log10(18 * 189 / 875), abs=1e-9)
    assert not told.is_impossible


def test_print_shows_the_weights_in_a_table_the_largest_first():
    assert str(explain(TENNIS, DAY)).splitlines() == [
        "P(no) = 0.795 against P(yes) = 0.205",
        "  column  value   decibans",
        "  prior              -2.55",
        "  sky     sunny      +4.31",
        "  damp    high       +3.80",
        "  wind    strong     +2.55",
        "  air     cool       -2.22",
        "  total              +5.90",
    ]


def test_the_text_is_the_product_as_the_notes_write_it_then_the_table():
    told = explain(TENNIS, DAY)
    assert told.to_text().splitlines()[:2] == [
        "P(no)·P(sunny|no)·P(cool|no)·P(high|no)·P(strong|no) = 0.3571 · 0.6 · 0.2 · 0.8 · 0.6 = 0.02057",
        "P(yes)·P(sunny|yes)·P(cool|yes)·P(high|yes)·P(strong|yes) = "
        "0.6429 · 0.2222 · 0.3333 · 0.3333 · 0.3333 = 0.005291",
    ]
    assert told.to_text().splitlines()[2:] == str(told).splitlines()


def test_repr_is_one_line():
    text = "Explanation(P(no) = 0.795 against P(yes) = 0.205: +5.90 decibans, most from sky = sunny (+4.31))"
    assert repr(explain(TENNIS, DAY)) == text
    assert repr(TENNIS) == "Evidence(1 row, 4 columns, 2 classes)"


def test_probabilities_are_the_posterior():
    posterior = np.exp(TENNIS.joint[0]) / np.exp(TENNIS.joint[0]).sum()
    assert explain(TENNIS, DAY).probabilities == pytest.approx(dict(zip(["no", "yes"], posterior, strict=True)))


@pytest.mark.parametrize(
    ("p", "shown"), [(0.5, "0.500"), (1e-5, "1e-05"), (1 - 1e-5, "1 - 1e-05"), (1.0, "1"), (0.0, "0"), (0.999, "0.999")]
)
def test_a_probability_near_one_is_not_rounded_to_one(p, shown):
    told = explain(evidence_of([p, 1 - p], [0.5, 0.5]), ["v"], label="no", against="yes")
    assert str(told).startswith(f"P(no) = {shown} against")


def test_against_names_the_class_to_hold_it_against():
    evidence = evidence_of([0.5, 0.3, 0.2], [0.1, 0.6, 0.3], classes=("a", "b", "c"))
    assert (explain(evidence, ["v"]).label, explain(evidence, ["v"]).against) == ("b", "c")
    told = explain(evidence, ["v"], against="a")
    assert (told.label, told.against) == ("b", "a")
    assert told.total_db == pytest.approx(10 * math.log10(0.18 / 0.05), abs=1e-9)


def test_against_the_best_class_explains_the_runner_up():
    told = explain(TENNIS, DAY, against="no")
    assert (told.label, told.against) == ("yes", "no")
    assert told.total_db == pytest.approx(-explain(TENNIS, DAY).total_db)


def test_against_a_class_that_does_not_exist():
    with pytest.raises(ParameterError, match=r"there is no class 'maybe'. Known are 'no', 'yes'."):
        explain(TENNIS, DAY, against="maybe")


def test_one_of_several_rows():
    rows = Evidence(TENNIS.classes, ("c",), np.log([0.5, 0.5]), np.log([[[0.9, 0.1]], [[0.2, 0.8]]]))
    assert [explain(rows, ["v"], row=row).label for row in (0, 1)] == ["no", "yes"]


def test_equals_go_to_the_first_in_class_order():
    told = explain(evidence_of([0.5, 0.5], [0.4, 0.4]), ["v"])
    assert (told.label, told.against, told.total_db) == ("no", "yes", 0.0)


def test_a_single_class_is_held_against_itself():
    told = explain(evidence_of([1.0], [0.4], classes=("only",)), ["v"])
    assert (told.label, told.against, told.total_db) == ("only", "only", 0.0)


@pytest.mark.parametrize("gone", [None, float("nan")], ids=str)
def test_a_missing_value_is_no_factor_and_weighs_nothing(gone):
    told = explain(evidence_of([0.5, 0.5], [1.0, 1.0], [0.2, 0.4]), [gone, "v"])
    assert told.reasons[0].weight_db == 0
    assert told.to_text().startswith("P(no)·P(v|no) = 0.5 · 0.2 = 0.1\n")
    assert "  c0      ?         +0.00" in told.to_text().splitlines()


def test_numbers_are_rounded_for_reading():
    told = explain(evidence_of([0.5, 0.5], [0.2, 0.4]), [1 / 3])
    assert "  c0      0.3333     +3.01" in told.to_text().splitlines()


def test_what_one_class_cannot_have_made_weighs_infinitely():
    told = explain(evidence_of([0.5, 0.5], [0.0, 0.4]), ["v"])
    assert (told.label, told.total_db) == ("yes", math.inf)
    assert "+inf" in told.to_text()
    assert "nan" not in told._repr_html_()


def test_a_row_that_no_class_can_have_made_rests_on_the_priors():
    told = explain(evidence_of([0.3, 0.7], [0.0, 0.5], [0.5, 0.0]), ["v", "w"], is_impossible=True)
    assert (told.label, told.against) == ("yes", "no")
    assert "The row has probability 0 in every class: the prediction is that of the priors alone." in told.to_text()
    assert told.total_db == pytest.approx(10 * math.log10(0.7 / 0.3))
    assert told.probabilities == pytest.approx({"no": 0.3, "yes": 0.7})
    assert "nan" not in told.to_text() + told._repr_html_()


def test_html_shows_signed_bars_and_escapes():
    evidence = evidence_of([0.5, 0.5], [0.1, 0.6], [0.6, 0.3], classes=("<i>", "&"), names=("<b>", "n"))
    html = explain(evidence, ["<script>", "v"])._repr_html_()
    assert "<script>" not in html and "<i>" not in html and "<b>" not in html
    assert '&lt;b&gt;</td><td style="text-align:left">&lt;script&gt;</td>' in html
    assert "&lt;i&gt; ◂ ▸ &amp;" in html
    assert html.count("#2b7bba") == 3  # the prior's 0, the column for it and the total
    assert html.count("#c44e52") == 1
    assert "width:50.0%" in html  # the largest weight fills its half


def test_a_product_too_small_for_a_float_still_has_its_weight():
    tiny = Evidence(np.array(["no", "yes"]), ("c",), np.log([0.5, 0.5]), np.array([[[-2000.0, -1999.0]]]))
    told = explain(tiny, ["v"])
    assert told.joint == (0.0, 0.0)
    assert told.total_db == pytest.approx(10 / math.log(10))


@pytest.mark.parametrize("tiny", [-0.001, -0.0])
def test_nothing_is_shown_as_minus_zero(tiny):
    """A weight that rounds to 0 has no sign of its own: "-0.00" reads as evidence against."""
    scale = Scale("sky", (("sun", tiny), ("rain", 3.0)))
    nomogram = Nomogram("yes", "no", tiny, (scale,))
    reasons, marks = (TokenReason("a", 1, tiny),), (Mark(0, 1, tiny),)
    document = DocumentExplanation("a b", "yes", "no", tiny, reasons, None, (), marks)
    told = explain(evidence_of([0.5, 0.5], [0.5, 0.5 + tiny * 1e-3]), ["sun"], "yes")
    values = [nomogram, TopTokens([("a", tiny)], "yes", "no"), document, told]
    shown = [f"{value}{value._repr_html_()}" for value in values] + [repr(nomogram), repr(document), repr(told)]
    assert not [text for text in shown if re.search(r"-0\.0+(?!\d)", text)]
    assert short_number(tiny * 0.0) == "0"


def test_a_number_and_the_text_of_it_are_two_classes():
    found = explain(evidence_of([0.25, 0.75], [0.5, 0.5], classes=(1, "1")), ["x"])
    assert found.to_dict()["probabilities"] == pytest.approx({"1": 0.25, "'1'": 0.75})
    assert "P('1') = 0.750 against P(1) = 0.250" in str(found)
    assert "P(1)·" in found.to_text() and "P('1')·" in found.to_text()
