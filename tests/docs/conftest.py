"""Examples register distributions, smoothings, formats, tests and scores of their own; other tests do not see them."""

import pytest

from deciban.nets.discovery.discover import TESTS
from deciban.nets.io.formats import FORMATS
from deciban.nets.scores.registry import SCORES
from deciban.storable import STORED


@pytest.fixture(autouse=True)
def registries():
    before = [(registry, dict(registry)) for registry in (FORMATS, SCORES, TESTS)]
    stored = set(STORED)
    yield
    for registry, held in before:
        registry.clear()
        registry.update(held)
    for name in set(STORED) - stored:  # deciban's own classes are registered when their modules are first imported
        if not STORED[name].cls.__module__.startswith("deciban."):
            del STORED[name]
