"""Counters that several processes add to."""

import multiprocessing
import os

from deciban.serve.shared import Counters


def count(folder, times):
    counters = Counters(3, folder)
    for _ in range(times):
        counters.own[1] += 1.0
    return counters.sums()


def test_one_process_needs_no_folder():
    counters = Counters(2)
    counters.own[0] += 2.5
    assert counters.sums() == [2.5, 0.0]


def test_the_sums_are_those_of_all_processes_also_of_those_that_ended(tmp_path):
    own = Counters(3, tmp_path)
    own.own[1] += 5.0
    own.own[2] += 1.0
    process = multiprocessing.get_context("spawn").Process(target=count, args=(tmp_path, 7))
    process.start()
    process.join(60)
    assert process.exitcode == 0 and own.sums() == [0.0, 12.0, 1.0]
    assert {path.stem for path in tmp_path.iterdir()} == {str(os.getpid()), str(process.pid)}
    process.close()
