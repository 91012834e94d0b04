"""A client of an application without a process or a port, and models to serve."""

from __future__ import annotations

import asyncio
from functools import cache

import httpx
import numpy as np

import deciban as db
from deciban.serve.app import make_app
from deciban.serve.holder import FixedModel

ROWS = {
    "sky": ["sun", "sun", "rain", None] * 20,
    "warm": [21.5, 18.0, 9.5, 12.0] * 20,
    "guests": [1, 2, 3, 1] * 20,
    "dry": [True, False, True, None] * 20,
}
LABELS = ["play", "play", "stay", "stay"] * 19 + ["stay", "play", "play", "stay"]
ROW = {"sky": "sun", "warm": 20.0, "guests": 2, "dry": True}


class Client:
    """Requests to an application."""

    def __init__(self, app):
        self.app = app

    def request(self, method, path, **options):
        async def send():
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                return await client.request(method, path, **options)

        return asyncio.run(send())

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, json=None, **options):
        return self.request("POST", path, json=json, **options)


def client_of(model, **options) -> Client:
    """A client of a model that does not change."""
    return Client(make_app(FixedModel(model), **options))


def records(count=None):
    """The rows of the table, one mapping each."""
    names = list(ROWS)
    return [dict(zip(names, row, strict=True)) for row in zip(*ROWS.values(), strict=True)][:count]


@cache
def table_model() -> db.NaiveBayes:
    return db.NaiveBayes().fit(ROWS, LABELS)


@cache
def tree_model() -> db.TAN:
    return db.TAN().fit(ROWS, LABELS)


@cache
def number_model() -> db.GaussianNB:
    rows = np.random.default_rng(0).normal(size=(50, 3))
    return db.GaussianNB().fit(rows, rows[:, 0] > 0)


@cache
def text_model() -> db.TextNB:
    documents = ["win money now", "cheap money", "hello friend", "see you friend"] * 5
    return db.TextNB().fit(documents, ["spam", "spam", "ham", "ham"] * 5)


@cache
def net() -> db.BayesNet:
    tables = {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]}
    return db.BayesNet.from_tables([("rain", "wet")], dict.fromkeys(tables, ("no", "yes")), tables)


@cache
def number_net() -> db.GaussianNet:
    rng = np.random.default_rng(0)
    height = rng.normal(170, 10, 200)
    return db.GaussianNet([("height", "weight")]).fit({"height": height, "weight": height - 100 + rng.normal(size=200)})
