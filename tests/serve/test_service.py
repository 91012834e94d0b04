"""What the routes share: the model that is served now, and threads."""

import asyncio
import threading

from deciban.serve.limits import Limits
from deciban.serve.metrics import Metrics
from deciban.serve.service import Service
from tests.serve.client import Client, make_app, table_model, text_model


class Changing:
    """A holder whose model is replaced."""

    def __init__(self, model):
        self.model, self.is_closed = model, False

    def metrics(self):
        return {"journal_lag": 2.0}

    def status(self):
        return {"position": 7}

    def close(self):
        self.is_closed = True


def test_a_model_that_is_replaced_is_used_by_the_next_request():
    holder = Changing(table_model())
    client = Client(make_app(holder))
    before = client.post("/predict", {"sky": "sun"}).json()
    holder.model = type(table_model())().fit({"sky": ["sun", "rain", "sun"] * 4}, ["no", "yes", "yes"] * 4)
    after = client.post("/predict", {"sky": "sun"}).json()
    assert set(before["probabilities"]) == {"play", "stay"} and set(after["probabilities"]) == {"no", "yes"}


def test_the_holder_adds_to_the_metrics_and_to_the_description():
    client = Client(make_app(Changing(table_model())))
    assert "deciban_journal_lag 2.0" in client.get("/metrics").text
    assert client.get("/model").json()["journal"] == {"position": 7}


def test_the_end_of_the_application_closes_the_holder():
    holder = Changing(table_model())
    messages = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]

    async def receive():
        return messages.pop(0)

    async def send(message):
        assert message["type"].endswith(".complete")

    asyncio.run(make_app(holder)({"type": "lifespan"}, receive, send))
    assert holder.is_closed


def test_work_runs_in_another_thread():
    service = Service(Changing(text_model()), "model", Limits(), Metrics())
    assert asyncio.run(service.run(threading.get_ident)) != threading.get_ident()
