"""Servers that all tests here share: each is started once, and stopped at the end."""

import pytest

from tests.servers.spark import make_table, spark_session


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
