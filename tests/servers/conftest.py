"""The servers that the tests share; each is started once."""

import pytest

from tests.servers.postgres import running_server
from tests.servers.setup import need


@pytest.fixture(scope="session")
def postgres():
    """A running PostgreSQL server."""
    need("postgresql")
    with running_server() as server:
        yield server
