"""The number of threads can be set, and a wrong number is refused before the pool sees it."""

import pytest

import deciban as db
from deciban.errors import ParameterError


def test_threads_are_set_and_given_back(any_threads):
    before = db.threads()
    db.set_threads(1)
    assert db.threads() == 1
    db.set_threads(None)
    assert db.threads() == before >= 1


@pytest.mark.parametrize("count", [0, -2])
def test_there_is_at_least_one_thread(any_threads, count):
    with pytest.raises(ParameterError, match=f"at least 1, not {count}"):
        db.set_threads(count)
