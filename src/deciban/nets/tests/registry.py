"""The tests of independence by name. A new test is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from deciban.choices import check_choice
from deciban.errors import ParameterError
from deciban.nets.tests.contingency import ChiSquared, GSquared
from deciban.nets.tests.fisher_z import FisherZ
from deciban.nets.tests.protocol import IndependenceTest

__all__ = ["AUTO", "TESTS", "TestName", "read_test"]

TestName = Literal["auto", "g2", "x2", "fisher_z"]

TESTS: dict[str, Callable[[], IndependenceTest]] = {"g2": GSquared, "x2": ChiSquared, "fisher_z": FisherZ}
"""The tests that ``discover`` finds by name: name → a function that makes the test."""

AUTO = {"categories": "g2", "numbers": "fisher_z"}
"""The test that "auto" stands for, by what the columns hold."""


def read_test(test: Any) -> IndependenceTest | None:
    """A test by its name, or as it is; None for "auto"."""
    if isinstance(test, str):
        check_choice("test", test, ("auto", *TESTS), other=", or a test such as GSquared()")
        return None if test == "auto" else TESTS[test]()
    test = test() if isinstance(test, type) else test
    if not isinstance(test, IndependenceTest):
        raise ParameterError(
            f"test is one of {', '.join(map(repr, ('auto', *TESTS)))}, or an object with the attribute reads and the "
            f"method on(data, alpha=…), such as GSquared(); not {test!r}."
        )
    return test
