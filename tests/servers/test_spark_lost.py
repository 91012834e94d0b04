"""Spark loses processes: Spark tries again, and no row is counted twice; or there is one clear error."""

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import deciban as db
from deciban.errors import SourceError
from tests.properties.engine_tables import check_same
from tests.servers.spark import run_script

pytestmark = pytest.mark.servers


def slow(folder, rows):
    """A step of a frame that takes long, and writes down which processes run it."""

    def step(batches):
        for batch in batches:
            daemon = os.getppid()
            java = int(Path(f"/proc/{daemon}/stat").read_text().rsplit(")", 1)[1].split()[1])
            Path(f"{folder}/{os.getpid()}").write_text(str(java))
            for first in range(0, batch.num_rows, rows):
                time.sleep(0.2)
                yield batch.slice(first, rows)

    return step


def kill_one(folder, who, killed):
    """Kill the first process that is found at work: a Python worker, or the Java process of its executor."""
    for _ in range(600):
        found = sorted(folder.iterdir())
        if found and found[0].read_text():
            time.sleep(0.5)
            victim = int(found[0].name if who == "worker" else found[0].read_text())
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)
            return
        time.sleep(0.05)


@pytest.mark.parametrize("who", ["worker", "executor"])
def test_a_process_that_is_killed_while_it_counts(spark, table, tmp_path, who):
    """A user would lose rows, or count some twice, where a part of a partition was counted before it was lost."""
    rows = spark.createDataFrame(table).repartition(4)
    frame = rows.select("number", "whole", "y").mapInArrow(
        slow(str(tmp_path), 100), "number double, whole long, y string"
    )
    killed = []
    killer = threading.Thread(target=kill_one, args=(tmp_path, who, killed))
    killer.start()
    found = db.tally(frame, target="y")
    killer.join()
    assert killed
    with pytest.raises(ProcessLookupError):
        os.kill(killed[0], 0)
    check_same(found, db.tally(table.select(["number", "whole", "y"]), target="y"))


def test_executors_that_are_lost_each_time(spark):
    def fatal(batches):
        java = int(Path(f"/proc/{os.getppid()}/stat").read_text().rsplit(")", 1)[1].split()[1])
        os.kill(java, signal.SIGKILL)
        yield from batches

    frame = spark.range(10).selectExpr("id", "'a' AS y").coalesce(1).mapInArrow(fatal, "id long, y string")
    with pytest.raises(SourceError, match="Spark failed while counting the frame: executors were lost") as caught:
        db.tally(frame, target="y")
    assert "\n" not in str(caught.value)
    ids = np.arange(10)  # the cluster is still there for others
    found = db.tally(spark.range(10).selectExpr("id", "'a' AS y"), target="y")
    check_same(found, db.tally({"id": ids, "y": ["a"] * 10}, target="y"))


def test_a_driver_that_is_killed_while_it_counts():
    *errors, predicted = run_script("tests.servers.spark_gone")
    assert len(errors) == 2 and all("there is no connection to its driver any more" in error for error in errors)
    assert predicted == "['a', 'b']"  # the model is as it was
