"""A driver of Spark that is killed while its executors count. Run by a test, in a process of its own."""

import os
import signal
import threading
import time

import deciban as db
from deciban.errors import SourceError
from tests.servers.spark import make_table, spark_session


def slow(batches):
    for batch in batches:
        time.sleep(30)
        yield batch


if __name__ == "__main__":
    with spark_session("local[1]") as session:
        rows = session.createDataFrame(make_table(10).select(["whole", "y"]))
        frame = rows.mapInArrow(slow, rows.schema)
        driver = int(session._jvm.java.lang.ProcessHandle.current().pid())
        model = db.NaiveBayes().fit({"x": ["p", "q"]}, ["a", "b"])
        threading.Timer(5, os.kill, (driver, signal.SIGKILL)).start()
        for call in (lambda: db.tally(frame, target="y"), lambda: model.fit_files(frame, target="y")):
            try:
                call()
            except SourceError as error:
                print(error)
        print(model.predict({"x": ["p", "q"]}).tolist())
