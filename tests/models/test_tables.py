"""What models of tables share: markers of missing values, and checks of values by distribution."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import ParameterError
from deciban.models.table_classifier import markers_of, read_marked


def test_one_text_is_one_marker():
    assert markers_of("??") == {"??"}
    assert markers_of(["?", 99]) == {"?", 99}
    assert markers_of(None) == frozenset()
    with pytest.raises(ParameterError, match="na_values is a list of values"):
        markers_of(5)


def test_markers_are_read_as_missing():
    table = read_marked({"sky": ["sun", "?"], "warm": [99, 3]}, markers_of(["?", 99]))
    assert [column.is_missing.tolist() for column in table.columns] == [[False, True], [True, False]]


@pytest.mark.parametrize("make", [db.NaiveBayes, db.TAN, db.AODE])
def test_tags_follow_what_is_done_with_missing_values(make):
    assert make().__sklearn_tags__().input_tags.allow_nan
    assert not make(missing="error").__sklearn_tags__().input_tags.allow_nan
    assert make().__sklearn_tags__().input_tags.string
    with pytest.raises(db.errors.MissingValueError):
        make(missing="error").fit({"x": ["a", None, "b"], "y": [1.0, np.nan, 2.0]}, [0, 1, 1])
