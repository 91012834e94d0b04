"""Identifiers are like the names that they stand for, and no two are the same."""

from hypothesis import given
from hypothesis import strategies as st

from deciban.nets.io.words import identifiers, is_identifier


def test_identifiers_are_like_their_names():
    found = identifiers(["rain", "rain?", "rain_", "2", "", "rain!"])
    assert found == {"rain": "rain", "rain?": "rain__2", "rain_": "rain_", "2": "x2", "": "x", "rain!": "rain__3"}


@given(st.lists(st.text(max_size=4), unique=True))
def test_no_two_are_the_same(names):
    found = identifiers(names)
    assert list(found) != [] or not names
    assert set(found) == set(names)
    assert len(set(found.values())) == len(names)
    assert all(map(is_identifier, found.values()))
