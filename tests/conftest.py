"""What all tests share."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Before numpy is imported: every processor has a worker of pytest, and more threads of BLAS only wait for one another,
# which makes tests on many small matrices take up to ten times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import deciban as db
from deciban import _core

EXPLORE = "explore"
TIMES = 25

settings.register_profile(
    "deciban", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.register_profile(EXPLORE, settings.get_profile("deciban"), derandomize=False, print_blob=True)
settings.load_profile("deciban")

SHARED = Path(__file__).parents[2] / "shared" / "data"


def pytest_collection_modifyitems(config, items):
    """Under ``make explore``, properties are tried on 25 times as many examples, which differ from run to run."""
    if config.getoption("--hypothesis-profile") != EXPLORE:
        return
    for test in {getattr(item, "obj", None) for item in items}:
        own = getattr(test, "_hypothesis_internal_use_settings", None)
        if own is not None:
            test._hypothesis_internal_use_settings = settings(own, max_examples=TIMES * own.max_examples)


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


@pytest.fixture(scope="module", params=_core.instruction_sets())
def each_instruction_set(request):
    """Runs the tests of a module once with each instruction set that this processor has."""
    before = _core.instruction_set()
    _core.set_instruction_set(request.param)
    yield request.param
    _core.set_instruction_set(before)
