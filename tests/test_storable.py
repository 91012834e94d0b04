"""A class that is registered can be saved; a name belongs to one class, so that a file means one thing."""

from dataclasses import dataclass

import pytest

from deciban.errors import ParameterError
from deciban.estimate import Gaussian, MomentsDistribution, Smoothing
from deciban.storable import STORED, registered, storable


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    for name in ("Own", "Half"):
        monkeypatch.delitem(STORED, name, raising=False)
    yield
    for name in ("Own", "Half"):
        STORED.pop(name, None)


def test_a_class_is_registered_under_its_name():
    @storable
    @dataclass(frozen=True)
    class Half(Smoothing):
        def pseudocount(self, states, configurations=1):
            return 0.5

    assert STORED["Half"].cls is Half and Half in registered(Smoothing) and Half not in registered(MomentsDistribution)


def test_a_check_is_kept():
    def check(value):
        raise ValueError(value)

    @storable(check=check)
    class Own:
        pass

    assert STORED["Own"] == (Own, check)


def test_a_name_of_another_class_is_refused_and_a_class_may_be_defined_again():
    with pytest.raises(ParameterError, match="already registered as 'Gaussian'"):
        storable(type("Gaussian", (), {}))
    assert STORED["Gaussian"].cls is Gaussian

    def define():
        @storable
        class Own:
            pass

        return Own

    define()
    again = define()
    assert STORED["Own"].cls is again
