"""A service under load that is killed again and again: nothing acknowledged is lost, and nothing is applied twice.

    python -m tests.serve.learning.soak --kills 50 --seconds 300 --workers 1

Several clients send batches to learn and to forget, each with a key, to ``deciban serve``. At random instants the
service is killed (SIGKILL, as by ``kill -9``) and started again; with two workers or more, one of the workers is
killed, which the service itself starts again. A client that got no answer sends the batch again with the same key,
until it has one. At the end the service is stopped, and the tally in the model file is compared with that of the rows
that were acknowledged as learned and not as forgotten.
"""

import argparse
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import deciban as db

from .conftest import FIRST, LABELS, ROWS, fitted

CLIENTS, BATCH = 4, 12
START_SECONDS = 60


class Service:
    """``deciban serve``, which is started, killed and started again on the same port."""

    def __init__(self, path, workers, chance):
        self.path, self.workers, self.chance = path, workers, chance
        self.port, self.log = 0, path.with_name("log")
        self.process = None

    def start(self):
        """Start the service and wait until it answers."""
        command = [str(Path(sys.executable).with_name("deciban")), "serve", str(self.path), "--port", str(self.port)]
        command += ["--workers", str(self.workers), "--fold-changes", "25", "--fold-seconds", "0.3"]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        give_up = time.monotonic() + START_SECONDS
        while not self._answers():
            if time.monotonic() > give_up or self.process.poll() is not None:
                raise AssertionError(f"the service did not start:\n{self.log.read_text()}")
            time.sleep(0.02)

    def _answers(self):
        if not self.port:
            found = re.search(r"running on http://127\.0\.0\.1:(\d+)", self.log.read_text())
            if found is None:
                return False
            self.port = int(found[1])
        try:
            return self.request("GET", "/readyz")[0] == 200
        except OSError:
            return False

    def request(self, method, path, body=None, headers=None):
        """The status and the answer of one request; an OSError where the service is gone."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        except http.client.HTTPException as error:
            raise ConnectionError from error
        finally:
            connection.close()

    def kill(self):
        """Kill the service, or one of its workers."""
        if self.workers == 1:
            self.process.kill()
            self.process.wait()
            return True
        workers = children_of(self.process.pid)
        if workers:
            os.kill(self.chance.choice(workers), signal.SIGKILL)
        return bool(workers)

    def stop(self):
        """End the service as an operator would."""
        self.process.terminate()
        self.process.wait(START_SECONDS)


def children_of(process):
    """The workers of a service; the child that only watches over shared memory is not one of them."""
    found = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(child) for child in found if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


class Client(threading.Thread):
    """Sends batches one after another, and each again until it is acknowledged."""

    def __init__(self, number, service, seed):
        super().__init__(name=f"client {number}")
        self.number, self.service, self.random = number, service, random.Random(seed)  # noqa: S311
        self.learned, self.sent, self.resent = [], 0, 0
        self.must_end, self.failure = threading.Event(), None

    def run(self):
        try:
            while not self.must_end.is_set():
                self.step()
        except Exception as error:
            self.failure = error

    def step(self):
        """Learn a batch, or forget one that was learned before."""
        if self.learned and self.random.random() < 0.4:
            batch = self.learned.pop(self.random.randrange(len(self.learned)))
            self.send("/forget", batch)
        else:
            batch = [self.random.randrange(FIRST, len(ROWS)) for _ in range(self.random.randint(1, BATCH))]
            self.send("/learn", batch)
            self.learned.append(batch)

    def send(self, path, batch):
        """Send a batch until it is acknowledged."""
        key = f"{self.number}-{self.sent}"
        self.sent += 1
        body = json.dumps({"rows": [ROWS[i] for i in batch], "labels": [LABELS[i] for i in batch]})
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        while True:
            try:
                status, answer = self.service.request("POST", path, body, headers)
            except OSError:
                status = 503
            if status == 200:
                assert json.loads(answer)["rows"] == len(batch)
                return
            assert status == 503, f"{path} {key}: {status} {answer}"
            self.resent += 1
            time.sleep(0.05)


def soak(folder, kills, seconds, workers, seed):
    """Kill the service `kills` times within about `seconds` seconds; a line that says what was done."""
    chance = random.Random(seed)  # noqa: S311
    path = Path(folder) / "days.deciban"
    db.save(fitted(range(FIRST)), path)
    service = Service(path, workers, chance)
    service.start()
    clients = [Client(number, service, seed + number) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    began, killed = time.monotonic(), 0
    while killed < kills:
        # The time to the end, shared by the kills that are left; a start takes a part of it.
        pause = max((began + seconds - time.monotonic()) / (kills - killed), 0.2)
        time.sleep(chance.uniform(0.0, pause) if workers == 1 else chance.uniform(0.5, 1.5) * pause)
        if service.kill():
            killed += 1
        if workers == 1:
            service.start()
    time.sleep(max(0.5, min(5.0, began + seconds - time.monotonic())))
    for client in clients:
        client.must_end.set()
    for client in clients:
        client.join()
    service.stop()
    for client in clients:
        assert client.failure is None, f"{client.name}: {client.failure!r}"
    remain = Counter(range(FIRST)) + sum((Counter(batch) for client in clients for batch in client.learned), Counter())
    compare(db.load(path), list(remain.elements()))
    requests, resent = sum(client.sent for client in clients), sum(client.resent for client in clients)
    return (
        f"{killed} kills in {time.monotonic() - began:.0f} seconds, {workers} worker(s): {requests} batches "
        f"acknowledged, {resent} sent again, {remain.total()} rows remain: nothing is lost, and nothing is doubled"
    )


def compare(model, indices):
    """Fail where a model does not have exactly these rows."""
    found, wanted = model.tally_, fitted(indices).tally_
    counts = found.class_counts.tolist(), wanted.class_counts.tolist()
    assert counts[0] == counts[1], f"there are {counts[0]} rows by class, not {counts[1]}"
    for ours, theirs in zip(found.parts, wanted.parts, strict=True):
        assert ours.is_close(theirs) if hasattr(ours, "is_close") else ours == theirs, ours.names


def main():
    parser = argparse.ArgumentParser(description="Kill a service that learns, again and again.")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="deciban-soak-") as folder:
        print(soak(folder, given.kills, given.seconds, given.workers, given.seed))


if __name__ == "__main__":
    main()
