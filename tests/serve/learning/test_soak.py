"""A service that learns and is killed five times in 20 seconds loses nothing acknowledged, and doubles nothing."""

from tests.serve.learning.soak import soak


def test_a_service_that_is_killed_loses_nothing_and_doubles_nothing(tmp_path):
    told = soak(tmp_path, kills=5, seconds=20.0, workers=1, seed=15)
    assert told.startswith("5 kills")
    assert told.endswith("nothing is lost, and nothing is doubled")
