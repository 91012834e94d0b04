"""PostgreSQL: a real server, started by the test."""

import pytest

from tests.servers.postgres import running_server
from tests.servers.setup import need

pytestmark = pytest.mark.servers


def test_the_server_answers(postgres):
    with postgres.connect() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_the_server_ends_with_its_block():
    need("postgresql")
    with running_server() as server:
        assert server.process.poll() is None
    assert server.process.poll() is not None
