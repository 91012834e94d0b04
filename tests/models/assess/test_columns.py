"""Columns in a few words."""

from deciban.models.assess import describe_columns
from deciban.read import read_table


def test_numbers_by_their_range_and_labels_by_the_most_frequent():
    table = read_table({"age": [30, 20, None, 25], "sky": ["sun", "rain", "sun", None], "none": [None] * 4})
    age, sky, none = describe_columns(table)
    assert age == ("age", 1, 3, "20 to 30, median 25")
    assert sky == ("sky", 1, 2, "sun, rain")
    assert none == ("none", 4, 0, "")


def test_many_and_long_labels_are_cut():
    (found,) = describe_columns(read_table({"x": ["a" * 50, *"bcdef"]}))
    assert found.distinct == 6 and found.values.endswith(", …") and "a" * 29 + "…" in found.values
