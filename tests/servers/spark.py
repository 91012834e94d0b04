"""A real Spark for the tests: a cluster of two executor processes on this machine, with little memory."""

import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager, suppress
from decimal import Decimal
from importlib import import_module
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.servers.setup import need

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": "3",
    # Adaptive execution is for large jobs; a driver of little memory was seen to wait for a stage that had ended.
    "spark.sql.adaptive.enabled": "false",
    "spark.log.level": "ERROR",
}


@contextmanager
def spark_session(master="local-cluster[2,1,1024]", remote=None):
    """A session that is stopped at the end; of Spark Connect where `remote` is given. The executors run this Python."""
    pyspark = pytest.importorskip("pyspark.sql")
    os.environ.setdefault("JAVA_HOME", str(need("java")))
    home = tempfile.TemporaryDirectory()
    os.environ["SPARK_HOME"] = linked(Path(pyspark.__file__).parents[1], Path(home.name))
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = pyspark.SparkSession.builder
    builder = builder.master(master) if remote is None else builder.remote(remote)
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        with suppress(OSError):  # a test may have killed the driver
            session.stop()
        stop_java()
        home.cleanup()


def linked(installed, folder):
    """A home of Spark whose workers write into this folder, and not into the installed package."""
    for path in installed.iterdir():
        if path.name != "work":
            (folder / path.name).symlink_to(path)
    return str(folder)


def stop_java():
    """End the Java process of the driver, so that the next session has settings of its own."""
    context = import_module("pyspark").SparkContext
    gateway, context._gateway, context._jvm = context._gateway, None, None
    if gateway is not None:
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(timeout=60)


def run_script(module):
    """The lines that a module prints that is run as a script, in a process of its own."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-m", module], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


# What all tests of Spark count -------------------------------------------------------------------------------------

ROWS = 5000


def make_table(rows=ROWS, seed=0):
    """Numbers, labels, flags and missing values of both; some states are in few rows only."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    label = np.array(["sun", "rain", "wind", "fog"], dtype=object)[(rng.integers(0, 4, rows) + y) % 4]
    label[rng.random(rows) < 0.1] = None
    label[-1] = "hail"
    columns = {
        "number": pa.array(rng.normal(y, 1.0) + 1e6, mask=rng.random(rows) < 0.1),
        "single": pa.array(rng.normal(size=rows).astype(np.float32)),
        "a.dot": pa.array(label),
        "whole": pa.array(rng.integers(0, 9, rows), mask=rng.random(rows) < 0.1),
        "flag": pa.array(rng.random(rows) < 0.3),
        "price": pa.array([Decimal(int(n)) / 100 for n in rng.integers(0, 20, rows)], pa.decimal128(10, 2)),
        "w": pa.array(rng.integers(0, 4, rows) / 2),
        "y": pa.array(np.array(["a", "b", "c"])[y]),
    }
    return pa.table(columns)
