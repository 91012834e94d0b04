"""What all tests share."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import deciban as db

settings.register_profile("deciban", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("deciban")

SHARED = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture
def shared_data():
    """The folder of real data beside the project."""
    if not SHARED.is_dir():
        pytest.skip("the folder of real data, ../shared/data, is not here")
    return SHARED


@pytest.fixture
def any_threads():
    """Gives set_threads back its default afterwards."""
    yield db.set_threads
    db.set_threads(None)
