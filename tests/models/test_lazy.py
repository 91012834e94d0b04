"""A value that is made at its first use: once, and again in a copy that goes to another process."""

import pickle

from deciban.models.lazy import Lazy


def test_it_is_made_once_and_only_when_needed():
    made = []
    lazy = Lazy(lambda x: made.append(x) or [x], 3)
    assert made == []
    assert lazy.get() is lazy.get()
    assert made == [3]


def test_a_copy_makes_it_again():
    lazy = Lazy(complex, 1, 2)
    assert lazy.get() == 1 + 2j
    assert b"complex" in pickle.dumps(lazy) and pickle.loads(pickle.dumps(lazy)).get() == 1 + 2j  # noqa: S301
