"""A client of the service: one row, and a list of rows."""

import asyncio

import httpx
from playtennis import days

import deciban as db
from deciban.serve.app import make_app
from deciban.serve.holder import FixedModel

model = db.NaiveBayes().fit(days, "play")
app = make_app(FixedModel(model), name="tennis")


async def ask(base_url: str, transport: httpx.ASGITransport | None = None) -> None:
    """Print the predictions of one row and of two."""
    async with httpx.AsyncClient(base_url=base_url, transport=transport) as client:
        one = await client.post("/predict", json={"outlook": "sunny", "wind": "strong"})
        print(
            one.status_code,
            one.json()["label"],
            round(one.json()["probabilities"]["no"], 3),
        )
        several = await client.post(
            "/predict", json=[{"outlook": "overcast"}, {"outlook": "rain"}]
        )
        print([prediction["label"] for prediction in several.json()])


asyncio.run(ask("http://localhost", httpx.ASGITransport(app)))
