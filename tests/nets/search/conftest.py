"""What the tests of this folder share."""

import pytest

from tests.nets.named_graphs import SPRINKLER
from tests.nets.search.samples import sampled


@pytest.fixture(scope="module")
def sprinkler():
    return sampled(SPRINKLER, 4000, 0)
