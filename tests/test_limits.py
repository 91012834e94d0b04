import pytest

from deciban.errors import ParameterError, TooLargeError
from deciban.limits import check_memory, memory_limit


def test_the_limit_is_compared_before_anything_is_made(monkeypatch):
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", "8000")
    check_memory("a table", 10, 100)
    with pytest.raises(TooLargeError, match=r"a table \(10 × 101\) would take 7.89 KiB; the limit is 7.81 KiB"):
        check_memory("a table", 10, 101)


def test_a_limit_that_is_no_number_is_named(monkeypatch):
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", "lots")
    with pytest.raises(ParameterError, match="DECIBAN_MEMORY_LIMIT must be a number of bytes, not 'lots'"):
        memory_limit()
