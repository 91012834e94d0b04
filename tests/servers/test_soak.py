"""The long soaks: five minutes with 50 kills of the service, and a minute with 10 kills of one of two workers."""

import pytest

from tests.serve.learning.soak import soak

pytestmark = pytest.mark.servers


@pytest.mark.parametrize(("kills", "seconds", "workers"), [(50, 300.0, 1), (10, 60.0, 2)])
def test_a_service_that_is_killed_loses_nothing_and_doubles_nothing(tmp_path, kills, seconds, workers):
    assert soak(tmp_path, kills, seconds, workers, seed=1).startswith(f"{kills} kills")
