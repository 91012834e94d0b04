"""Examples register distributions, smoothings and formats of their own; other tests do not see them."""

import pytest

from deciban.nets.io.formats import FORMATS
from deciban.storable import STORED


@pytest.fixture(autouse=True)
def registries():
    formats = dict(FORMATS)
    yield
    for name in [name for name, stored in STORED.items() if not stored.cls.__module__.startswith("deciban.")]:
        del STORED[name]
    FORMATS.clear()
    FORMATS.update(formats)
