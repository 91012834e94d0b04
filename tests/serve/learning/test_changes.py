"""A change is the same when it is read from the journal as when it was made."""

from datetime import date

import pytest

from deciban.errors import InputError, InputTypeError, ParameterError
from deciban.serve.learning.changes import Change


def test_what_is_applied_is_what_the_journal_holds():
    made = Change.of("learn", ({"a": 1, "b": float("nan")}, {"a": 2.5, "b": "é"}), ("x", True))
    read = Change("learn", made.content)
    assert read.rows == made.rows == [{"a": 1, "b": None}, {"a": 2.5, "b": "é"}]
    assert read.labels == made.labels == ["x", True]
    assert read.digest == made.digest


def test_other_rows_labels_or_actions_have_other_digests():
    rows, labels = [{"a": 1}], ["x"]
    digests = [
        Change.of("learn", rows, labels).digest,
        Change.of("forget", rows, labels).digest,
        Change.of("learn", [{"a": 2}], labels).digest,
        Change.of("learn", rows, ["y"]).digest,
        Change.of("learn", rows).digest,
    ]
    assert len(set(digests)) == 5


@pytest.mark.parametrize(
    ("rows", "labels", "error", "message"),
    [
        ([], [], InputError, "there are no rows to learn"),
        ([{"a": 1}], ["x", "y"], InputError, "there are 1 rows and 2 labels"),
        ([{"a": date(2026, 1, 1)}], ["x"], InputTypeError, "rows and labels are JSON"),
        ([{"a": {1, 2}}], ["x"], InputTypeError, "rows and labels are JSON"),
        ([{"a": 1.0}, {"a": float("inf")}], ["x", "y"], InputError, "row 1 has an infinite number"),
        ([[1.0, -float("inf")]], ["x"], InputError, "row 0 has an infinite number"),
    ],
)
def test_what_cannot_be_kept_is_refused(rows, labels, error, message):
    with pytest.raises(error, match=message):
        Change.of("learn", rows, labels)


def test_an_unknown_action_is_refused():
    with pytest.raises(ParameterError, match="action is one of"):
        Change.of("delete", [{"a": 1}], ["x"])
