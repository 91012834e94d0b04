"""Counters that several processes add to."""

from deciban.serve.metrics import Counters


def test_one_process_needs_no_folder():
    counters = Counters(2)
    counters.own[0] += 2.5
    assert counters.sums() == [2.5, 0.0]


def test_the_sums_are_those_of_all_processes_also_of_those_that_ended(tmp_path, monkeypatch):
    workers = []
    for process in (11, 22, 33):
        monkeypatch.setattr("deciban.serve.metrics.os.getpid", lambda process=process: process)
        workers.append(Counters(3, tmp_path))
        workers[-1].own[1] += process
    workers.pop()  # its file stays
    workers[0].own[2] += 1.0
    assert all(worker.sums() == [0.0, 66.0, 1.0] for worker in workers)
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["11", "22", "33"]
