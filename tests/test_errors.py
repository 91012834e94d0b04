"""One tree of errors: `except DecibanError` catches all, and each is also the built-in error that others expect."""

import inspect

import pytest

from deciban import errors
from deciban.errors import DecibanError, DecibanWarning

ERRORS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.__name__]
EXPECTED = {
    "InputError": ValueError,
    "InputTypeError": TypeError,
    "ParameterError": ValueError,
    "MissingFileError": FileNotFoundError,
    "FileAccessError": OSError,
    "TooLargeError": MemoryError,
    "UnseenStateError": ValueError,
    "CycleError": ValueError,
}


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_is_in_the_tree_and_explained(kind):
    assert issubclass(kind, DecibanWarning if kind is DecibanWarning else DecibanError)
    assert kind.__doc__
    assert kind.__name__ in errors.__all__


@pytest.mark.parametrize(("name", "built_in"), EXPECTED.items())
def test_an_error_is_the_built_in_one_too(name, built_in):
    assert issubclass(getattr(errors, name), built_in)


def test_a_warning_is_a_user_warning():
    assert issubclass(DecibanWarning, UserWarning)
