"""Examples register distributions, smoothings and formats of their own; other tests do not see them."""

import pytest

from deciban.nets.io.formats import FORMATS
from deciban.storable import STORED


@pytest.fixture(autouse=True)
def registries():
    before = [(registry, dict(registry)) for registry in (STORED, FORMATS)]
    yield
    for registry, held in before:
        registry.clear()
        registry.update(held)
