"""Micro-batches: rows that wait are scored together, and none of them changes the answer of another."""

import asyncio

import httpx
import pytest

from deciban.errors import InputError
from deciban.serve.limits import Problem
from deciban.serve.service import Batcher, predict_each
from tests.serve.client import client_of, records, tree_model


class Doubler:
    """An adapter that doubles numbers, refuses negative ones, and keeps the sizes of its calls."""

    def __init__(self):
        self.sizes = []

    def predict(self, rows):
        self.sizes.append(len(rows))
        if min(rows) < 0:
            raise InputError(f"{min(rows)} is negative.")
        return [2 * row for row in rows]


async def in_thread(work):
    await asyncio.sleep(0.001)
    return work()


def gather(rows, *, most=256, waiting=1000, adapters=None):
    adapter = Doubler()

    async def run():
        batcher = Batcher(in_thread, most, waiting)
        calls = (batcher.predict(adapters[i] if adapters else adapter, row) for i, row in enumerate(rows))
        return await asyncio.gather(*calls, return_exceptions=True)

    return asyncio.run(run()), adapter.sizes


def test_rows_that_wait_are_scored_by_one_call():
    found, sizes = gather(range(100))
    assert found == [2 * row for row in range(100)] and sizes == [100]
    assert gather(range(100), most=30)[1] == [30, 30, 30, 10]


def test_a_row_that_cannot_be_scored_fails_alone():
    found, _ = gather([1, -5, 3])
    assert [found[0], found[2]] == [2, 6] and isinstance(found[1], InputError) and "-5" in str(found[1])


def test_a_fault_of_the_model_reaches_every_request_and_the_next_batch_runs():
    class Broken:
        def predict(self, _rows):
            raise RuntimeError("broken")

    broken, works = Broken(), Doubler()
    found, _ = gather([1, 2, 3], adapters=[broken, broken, works])
    assert [type(result) for result in found] == [RuntimeError, RuntimeError, int]


def test_a_model_that_was_replaced_begins_a_new_batch():
    old, new = Doubler(), Doubler()
    found, _ = gather([1, 2, 3, 4], adapters=[old, old, new, new])
    assert found == [2, 4, 6, 8] and (old.sizes, new.sizes) == ([2], [2])


def test_a_full_queue_is_refused():
    found, _ = gather(range(12), waiting=10)
    assert found[:10] == [2 * row for row in range(10)]
    assert [(type(result), result.status) for result in found[10:]] == [(Problem, 503)] * 2


def test_predict_each_keeps_the_order():
    found = predict_each(Doubler(), [1, -1, 2, -2])
    assert [found[0], found[2]] == [2, 4] and [str(found[1]), str(found[3])] == ["-1 is negative.", "-2 is negative."]


@pytest.mark.parametrize("model", [tree_model()], ids=["TAN"])
def test_single_rows_under_load_get_the_posteriors_of_the_table(model):
    client = client_of(model)
    rows = records(20)

    async def run():
        transport = httpx.ASGITransport(client.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as both:
            return await asyncio.gather(*(both.post("/predict", json=row) for row in rows))

    found = [answer.json() for answer in asyncio.run(run())]
    expected = model.predict_proba(rows).tolist()
    assert [list(answer["probabilities"].values()) for answer in found] == expected
