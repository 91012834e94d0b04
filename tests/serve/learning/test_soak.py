"""A service that learns and is killed three times in 8 seconds loses nothing acknowledged, and doubles nothing."""

from tests.serve.learning.soak import soak


def test_a_service_that_is_killed_loses_nothing_and_doubles_nothing(tmp_path):
    told = soak(tmp_path, kills=3, seconds=8.0, workers=1, seed=15)
    assert told.startswith("3 kills")
    assert told.endswith("nothing is lost, and nothing is doubled")
