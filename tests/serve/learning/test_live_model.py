"""Many threads read and teach one model: they share transactions, and a reader never sees a half-changed model."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import deciban as db
from deciban.errors import FileAccessError, InputError, JournalError
from deciban.serve.learning import live_model as module
from deciban.serve.learning.live_model import Folding, LiveModel

from .conftest import FIRST, LABELS, ROWS, fitted

NEVER = Folding(changes=10**9, seconds=1e9)


@pytest.fixture
def live(path):
    made = LiveModel.open(path, NEVER)
    yield made
    made.close()


def _until(holds):
    """Wait until something holds, which it must soon."""
    for _ in range(1_000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen")


def test_requests_that_wait_share_a_transaction(live, monkeypatch):
    commit, sizes, may_go = live._journaled.commit, [], threading.Event()

    def slow(requests):
        sizes.append(len(requests))
        may_go.wait()
        return commit(requests)

    monkeypatch.setattr(live._journaled, "commit", slow)
    futures = [live.submit("learn", ROWS[i : i + 1], LABELS[i : i + 1]) for i in range(60, 61)]
    _until(lambda: sizes)
    futures += [live.submit("learn", ROWS[i : i + 1], LABELS[i : i + 1]) for i in range(61, 80)]
    may_go.set()
    assert sorted(future.result().content["position"] for future in futures) == list(range(1, 21))
    assert sizes == [1, 19]
    assert live.model.tally_.total == 80


def test_a_refused_request_does_not_affect_the_others(live):
    with ThreadPoolExecutor(8) as pool:
        good = [pool.submit(live.learn, ROWS[i : i + 1], LABELS[i : i + 1]) for i in range(60, 70)]
        bad = [pool.submit(live.learn, [{"rain": i}], ["play"]) for i in range(10)]
    assert all(future.result() for future in good)
    assert all(isinstance(future.exception(), InputError) for future in bad)
    assert live.model.tally_.total == 70


def test_an_unforeseen_failure_of_one_request_does_not_affect_the_others(live, monkeypatch):
    commit = live._journaled.commit

    def fail(requests):
        if any(request.change.rows == ROWS[61:62] for request in requests):
            raise ZeroDivisionError
        return commit(requests)

    monkeypatch.setattr(live._journaled, "commit", fail)
    futures = [live.submit("learn", ROWS[i : i + 1], LABELS[i : i + 1]) for i in range(60, 63)]
    assert [type(future.exception()) for future in futures] == [type(None), ZeroDivisionError, type(None)]
    assert live.model.tally_.total == 62


def test_a_reader_never_sees_a_half_changed_model(live):
    """Rows are learned in pairs with opposite labels, so every whole model has as many of both."""
    start, seen, is_done = live.model.class_count_, set(), threading.Event()

    def read():
        while not is_done.is_set():
            model = live.model
            counts = model.class_count_ - start
            total = model.tally_.total - FIRST
            posterior = model.predict_proba(ROWS[:3])
            assert counts[0] == counts[1] == total / 2
            assert (posterior == model.predict_proba(ROWS[:3])).all()
            seen.add(total)

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        for i in range(60, 90):
            live.learn([ROWS[i], ROWS[i]], ["play", "stay"])
        is_done.set()
        for reader in readers:
            reader.result()
    assert len(seen) > 1


def test_a_client_that_has_gone_before_its_batch_is_written_is_not_served(live, monkeypatch):
    commit, has_begun, may_go = live._journaled.commit, threading.Event(), threading.Event()

    def slow(requests):
        has_begun.set()
        may_go.wait()
        return commit(requests)

    monkeypatch.setattr(live._journaled, "commit", slow)
    first = live.submit("learn", ROWS[60:61], LABELS[60:61])
    has_begun.wait()
    gone = live.submit("learn", ROWS[61:62], LABELS[61:62])
    assert gone.cancel()
    assert not first.cancel()
    may_go.set()
    first.result()
    live.refresh()
    assert live.model.tally_.total == 61


def test_a_worker_hears_of_the_others_by_itself(live, path):
    other = LiveModel.open(path, NEVER)
    other.learn(ROWS[60:70], LABELS[60:70])
    _until(lambda: live.position == 1)
    assert live.model.tally_ == other.model.tally_
    assert live.status() == {
        "file": "days.deciban.journal",
        "position": 1,
        "lag": 0,
        "unfolded": 1,
        "trouble": None,
    }
    assert live.metrics()["journal_position"] == 1
    other.close()
    _until(lambda: live.status()["unfolded"] == 0)  # the other has folded at its end


@pytest.mark.parametrize("folding", [Folding(changes=3), Folding(seconds=0.05)])
def test_the_journal_is_folded_by_size_and_by_time(path, folding):
    live = LiveModel.open(path, folding)
    for i in range(60, 63):
        live.learn(ROWS[i : i + 1], LABELS[i : i + 1])
    _until(lambda: live.status()["unfolded"] == 0)
    assert db.load(path).tally_.total == 63
    live.close()


def test_the_journal_is_folded_at_the_end(path):
    live = LiveModel.open(path, NEVER)
    live.learn(ROWS[60:70], LABELS[60:70])
    live.forget(ROWS[:5], LABELS[:5])
    live.close()
    live.close()
    assert db.load(path).tally_.total == 65
    assert db.load(path).tally_.class_counts.tolist() == fitted(range(5, 70)).tally_.class_counts.tolist()
    with pytest.raises(JournalError, match="shutting down"):
        live.learn(ROWS[:1], LABELS[:1])


def test_trouble_is_shown_and_goes_when_it_has_gone(path, monkeypatch, caplog):
    monkeypatch.setattr(module, "_RETRY_SECONDS", 0.01)
    live = LiveModel.open(path, Folding(changes=1))
    fold, is_full = live._journaled.fold, True

    def fold_or_fail():
        if is_full:
            raise FileAccessError("the disk is full")
        return fold()

    monkeypatch.setattr(live._journaled, "fold", fold_or_fail)
    live.learn(ROWS[60:61], LABELS[60:61])
    _until(lambda: live.status()["trouble"] == "the disk is full")
    assert live.metrics()["journal_in_trouble"] == 1
    assert live.learn(ROWS[61:62], LABELS[61:62]).content["position"] == 2  # the journal can be written
    is_full = False
    _until(lambda: live.status()["trouble"] is None)
    assert caplog.text.count("learned rows are not folded: the disk is full") == 1
    live.close()
    assert db.load(path).tally_.total == 62


def test_too_many_waiting_requests_are_refused(live, monkeypatch):
    monkeypatch.setattr(module, "_MOST_WAITING", 0)
    with pytest.raises(JournalError, match="requests wait to be written"):
        live.learn(ROWS[:1], LABELS[:1])


def test_a_large_model_is_folded_less_often(path, monkeypatch):
    """Folding may take a fiftieth of the time, so the next one waits for fifty times what this one took."""
    live = LiveModel.open(path, Folding(changes=1))
    fold, begun = live._journaled.fold, []

    def slow():
        begun.append(time.monotonic())
        time.sleep(0.02)
        return fold()

    monkeypatch.setattr(live._journaled, "fold", slow)
    live.learn(ROWS[60:61], LABELS[60:61])
    live.refresh()  # a task after the fold
    assert live._next_fold >= begun[0] + 0.02 + 50 * 0.02
    live.close()
