"""Which label a value of another type stands for."""

from datetime import date, datetime, time
from decimal import Decimal

import numpy as np
import pytest

from deciban.read import MISSING_LABEL, Variable
from deciban.read.variable import NO_LABEL, KnownLabels, boolean_of, number_of, object_array, whole_number


@pytest.mark.parametrize(
    ("labels", "value", "label"),
    [
        ([1, 2, 3], "3", 3),
        ([1, 2, 3], "3.0", 3),
        ([1, 2, 3], " +3 ", 3),
        ([1, 2, 3], "003", 3),
        ([1, 2, 3], "3e0", 3),
        ([1, 2, 3], 3.0, 3),
        ([1.5, 2.0], "2", 2.0),
        ([1.5, 2.0], Decimal("1.5"), 1.5),
        (["1", "2"], 1, "1"),
        (["1", "2"], 2.0, "2"),
        (["1.0", "2.0"], 2, "2.0"),
        (["01", "02"], 2, "02"),
        ([True, False], "True", True),
        ([True, False], "true", True),
        ([True, False], "FALSE", False),
        (["true", "false"], True, "true"),
        (["TRUE", "FALSE"], False, "FALSE"),
        ([date(2020, 1, 2)], "2020-01-02", date(2020, 1, 2)),
        (["2020-01-02"], date(2020, 1, 2), "2020-01-02"),
        ([datetime(2020, 1, 2, 3)], "2020-01-02T03:00:00", datetime(2020, 1, 2, 3)),
        ([datetime(2020, 1, 2, 3)], "2020-01-02 03:00:00", datetime(2020, 1, 2, 3)),
        ([time(3, 30)], "03:30:00", time(3, 30)),
        ([9007199254740993], "9007199254740993", 9007199254740993),
        (["9007199254740993"], 9007199254740993, "9007199254740993"),
        ([1, "1"], "1", "1"),
        ([1, "1"], 1, 1),
        ([1, "1", 2], "2", 2),
        ([1, "1", "2"], 2, "2"),
        ([1, "unknown"], "1", 1),
    ],
)
def test_a_value_is_the_label_that_it_stands_for(labels, value, label):
    found = KnownLabels(labels).find(value)
    assert found == label and type(found) is type(label)


@pytest.mark.parametrize(
    ("labels", "value"),
    [
        ([1, 2], "unknown"),
        ([1, 2], "1,0"),
        ([1, 2], "nan"),
        ([1, 2], ""),
        ([1, 2], date(2020, 1, 2)),
        (["1", "2"], "1.0"),  # text is the same text only
        (["01", "001"], 1),  # two labels spell it
        (["sun"], 1),
        (["inf"], float("inf")),
        (["(missing)"], MISSING_LABEL),
        ([MISSING_LABEL, 1], "(missing)"),
        ([("a", 1)], "('a', 1)"),
        ([], "1"),
    ],
)
def test_other_values_are_no_label(labels, value):
    assert KnownLabels(labels).find(value) is NO_LABEL


@pytest.mark.parametrize(
    ("labels", "value", "typed"),
    [
        ([1, 2], "4", 4),
        ([1, 2], "4.5", 4.5),
        ([1, 2], "unknown", "unknown"),
        (["1", "2"], 4, "4"),
        (["1", "2"], 4.0, "4"),
        (["a", "b"], 4.5, "4.5"),
        (["a", MISSING_LABEL], 4, "4"),
        ([1, "unknown"], "4", 4),
        ([1, "1"], "4", "4"),
        ([1, "1"], 4, 4),
        ([True, False], "2", 2),
        ([date(2020, 1, 2)], "2020-01-03", date(2020, 1, 3)),
        (["a"], float("inf"), float("inf")),
        (["a"], 10**400, str(10**400)),
        ([], 4, 4),
    ],
)
def test_a_new_label_has_the_type_of_those_that_are_known(labels, value, typed):
    found = KnownLabels(labels).typed(value)
    assert found == typed and type(found) is type(typed)


def test_text_spells_numbers_as_files_write_them():
    assert [number_of(text) for text in ("-3", "2.", ".5", "1e-3", "1e999", "1_0", "٣", "0x1", "")] == (
        [-3.0, 2.0, 0.5, 0.001, None, None, None, None, None]
    )
    assert whole_number("-3") == -3 and whole_number("9" * 400) is None
    assert boolean_of("yes") is None


def test_codes_of_values_in_another_type():
    number, text = Variable.of("x", np.array([1, 2, 5])), Variable.of("x", object_array(["1", "2", "sun"]))
    assert number.encode(object_array(["5", "1.0", "sun", "7"])).tolist() == [2, 0, 3, 3]
    assert text.encode(np.array([2.0, 1.0, 7.0])).tolist() == [1, 0, 3]
    assert Variable.of_codes("x", 3).encode(object_array(["2", "0", "9"])).tolist() == [2, 0, 3]
    assert text.read_as(number).labels.tolist() == [1, 2, "sun"]
    assert number.read_as(number) is number
