"""The servers that the tests share; each is started once."""

import pytest

from tests.servers.browser import running_browser
from tests.servers.postgres import running_server
from tests.servers.setup import need
from tests.servers.spark import make_table, spark_session


@pytest.fixture(scope="session")
def postgres():
    """A running PostgreSQL server."""
    need("postgresql")
    with running_server() as server:
        yield server


@pytest.fixture(scope="module")
def browser():
    """A running Chromium; it ends with the module, because Playwright keeps an event loop in this thread."""
    path = need("chromium")
    with running_browser(path) as started:
        yield started


def pytest_collection_modifyitems(items):
    for item in items:
        if "spark" in item.nodeid:
            item.add_marker(pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"))
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))  # sockets of py4j


@pytest.fixture(scope="session")
def spark():
    """A cluster of two executors."""
    with spark_session() as session:
        yield session


@pytest.fixture(scope="session")
def table():
    return make_table()


@pytest.fixture(scope="session")
def frame(spark, table):
    """The same table on the cluster."""
    return spark.createDataFrame(table).repartition(7).cache()
