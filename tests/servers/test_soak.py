"""A longer soak than that of `make test`, with two workers; `make soak` runs five minutes with 50 kills."""

import pytest

from tests.serve.learning.soak import soak

pytestmark = pytest.mark.servers


def test_two_workers_that_are_killed_lose_nothing_and_double_nothing(tmp_path):
    assert soak(tmp_path, kills=5, seconds=30.0, workers=2, seed=1).startswith("5 kills")
