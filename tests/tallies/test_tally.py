"""Tallies form a group: adding, taking out, scaling; and they show their counts."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ColumnMismatchError, InputError, NegativeCountError

rows = st.lists(
    st.tuples(st.sampled_from("abc"), st.floats(-10, 10).map(lambda x: round(x, 6)), st.sampled_from(["yes", "no"])),
    min_size=1,
    max_size=12,
)


def counted(rows):
    frame = pd.DataFrame(rows, columns=["sky", "warm", "play"])
    return db.tally(frame, target="play")


@given(rows, rows)
def test_adding_is_counting_both(a, b):
    both, whole = counted(a) + counted(b), counted(a + b)
    assert both.classes == whole.classes
    assert both.class_counts.tolist() == whole.class_counts.tolist()
    assert both.parts[0] == whole.parts[0]
    assert both.parts[1].mean == pytest.approx(whole.parts[1].mean, abs=1e-12)
    assert both.parts[1].deviation == pytest.approx(whole.parts[1].deviation, abs=1e-9)


@given(rows, rows)
def test_adding_is_commutative(a, b):
    left, right = counted(a) + counted(b), counted(b) + counted(a)
    assert left.parts[0] == right.parts[0]
    assert left.parts[1].mean == pytest.approx(right.parts[1].mean, abs=1e-12)


@given(rows, rows)
def test_taking_out_undoes_adding(a, b):
    back = (counted(a) + counted(b)) - counted(b)
    once = counted(a).with_classes(back.classes)
    assert back.class_counts.tolist() == once.class_counts.tolist()
    assert back.parts[0] == once.parts[0].restated(back.parts[0].variable)
    assert back.parts[1].mean == pytest.approx(once.parts[1].mean, abs=1e-9)


@given(rows)
def test_a_tally_less_itself_is_empty(a):
    assert (counted(a) - counted(a)).is_empty


@given(rows, st.floats(0, 4))
def test_scaling_weighs_the_whole_sample(a, factor):
    scaled = counted(a).scaled(factor)
    assert scaled.total == pytest.approx(len(a) * factor)
    assert scaled.parts[0].table == pytest.approx(counted(a).parts[0].table * factor)
    weighted = db.tally(
        pd.DataFrame(a, columns=["sky", "warm", "play"]), target="play", sample_weight=np.full(len(a), factor)
    )
    assert scaled.class_counts == pytest.approx(weighted.class_counts)


def test_taking_out_too_much_says_what_would_be_negative():
    a, b = counted([("a", 1.0, "yes")]), counted([("b", 1.0, "yes")])
    with pytest.raises(NegativeCountError, match=r"'sky' = 'b' in class 'yes' would be -1"):
        a - b
    with pytest.raises(NegativeCountError, match="class 'yes' would be -1"):
        a - (b + b)


def test_tallies_of_other_columns_do_not_add():
    with pytest.raises(ColumnMismatchError):
        counted([("a", 1.0, "yes")]) + db.tally({"x": [1.0], "play": ["yes"]}, target="play")
    with pytest.raises(ColumnMismatchError, match="no column 'rain'"):
        counted([("a", 1.0, "yes")]).marginal("rain")


def test_marginals_keep_some_columns():
    tally = counted([("a", 1.0, "yes"), ("b", 2.0, "no")])
    assert tally.marginal("sky").names == ("sky",)


def test_a_tally_is_frozen_and_equal_by_value():
    a, b = counted([("a", 1.0, "yes")]), counted([("a", 1.0, "yes")])
    assert a == b
    assert a != b.scaled(2)
    with pytest.raises(AttributeError):
        a.classes = None


def test_missing_values_are_left_out_of_their_own_column_only():
    tally = db.tally(pd.DataFrame({"s": ["a", None], "n": [np.nan, 2.0], "y": [0, 0]}), target="y")
    assert tally.class_counts.tolist() == [2]
    assert tally.parts[0].table.tolist() == [[1]]
    assert tally.parts[1].weight.tolist() == [[1.0]]


def test_the_tables_are_shown():
    tally = counted([("a", 1.0, "yes"), ("b", 2.0, "no"), ("a", 3.0, "yes")])
    assert repr(tally) == "Tally(3 rows, 2 columns, 2 classes of 'play')"
    assert str(tally).splitlines()[0] == "Tally of 3 rows, 2 classes of 'play'"
    assert "2 ± 1" in str(tally)
    html = tally._repr_html_()
    assert "<th>sky</th><th>a</th><td>0</td><td>2</td>" in html
    long = db.tally({"x": list(range(100)), "y": [0] * 100}, target="y")
    assert str(long).endswith("… 60 more")
    assert "more" in long._repr_html_()
    terms = db.MultinomialNB().fit([[1, 2]], ["<b>"]).tally_
    assert "x1" in str(terms)
    assert "&lt;b&gt;" in terms._repr_html_()


@pytest.mark.parametrize(
    "labels", [["u", None, "v"], pa.array(["u", None, "v"]), pd.Series([1, None, 2], dtype="Int64")]
)
def test_a_row_without_a_label_is_an_error(labels):
    with pytest.raises(InputError, match="every row needs a label"):
        db.tally({"a": [1, 2, 3], "y": labels}, target="y")


def test_the_classes_of_a_named_target_keep_their_type():
    assert db.tally(pa.table({"a": [1, 2], "y": [True, False]}), target="y").classes.labels.dtype == bool
