"""The service for longer, and with several workers."""

import httpx
import pytest

import deciban as db
from deciban.serve.app import make_app
from deciban.serve.holder import FixedModel
from deciban.serve.learning.live_model import LiveModel
from deciban.serve.learning.routes import learning_routes
from deciban.serve.limits import Limits
from tests.serve.client import ROW, net, number_model, number_net, table_model, text_model, tree_model
from tests.serve.schemas import explore
from tests.serve.test_server import running

pytestmark = pytest.mark.servers
MODELS = (table_model, tree_model, number_model, text_model, net, number_net)


@pytest.mark.filterwarnings("ignore")  # of schemathesis' client, and of the models about strange values
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_many_requests_made_from_the_description_find_no_fault(model):
    answers = explore(make_app(FixedModel(model()), limits=Limits(rows=50)), examples=20, only="")
    assert answers[200] > 0 and not any(status >= 500 for status in answers)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", MODELS[:5], ids=lambda model: model.__name__)
def test_many_requests_that_learn_find_no_fault(model, tmp_path):
    db.save(model(), tmp_path / "model.deciban")
    live = LiveModel.open(tmp_path / "model.deciban")
    try:
        answers = explore(make_app(live, routers=[learning_routes(live)]), examples=20)
    finally:
        live.close()
    assert answers[200] > 0 and not any(status >= 500 for status in answers)


def test_workers_count_together(tmp_path):
    path = tmp_path / "weather.deciban"
    db.save(table_model(), path)
    with running(path, "--workers", "2") as (process, port):
        for line in process.stderr:  # the port is bound before a worker listens
            if "Application startup complete" in line:
                break
        for _ in range(40):  # a connection each, so that both workers get some
            assert httpx.post(f"http://127.0.0.1:{port}/predict", json=ROW).status_code == 200
        texts = [httpx.get(f"http://127.0.0.1:{port}/metrics").text for _ in range(10)]
    assert all('deciban_rows_total{verb="predict"} 40' in text for text in texts)
