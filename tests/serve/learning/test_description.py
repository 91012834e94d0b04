"""The description of the routes is true: its examples are accepted as they stand."""

import deciban as db
from deciban.serve.app import make_app
from deciban.serve.learning.live_model import LiveModel
from deciban.serve.learning.routes import learning_routes
from tests.serve.client import Client, net, number_net, table_model, text_model

STATES = {"rain": ["no", "yes"] * 10, "wet": ["no", "yes", "yes", "yes"] * 5}


def test_the_examples_can_be_learned_and_forgotten(tmp_path):
    counted = db.BayesNet(net().dag).fit(STATES)
    for number, model in enumerate((table_model(), text_model(), counted, number_net())):
        db.save(model, tmp_path / f"{number}.deciban")
        live = LiveModel.open(tmp_path / f"{number}.deciban")
        client = Client(make_app(live, routers=[learning_routes(live)]))
        paths = client.app.api.openapi()["paths"]
        for path in ("/learn", "/forget"):
            described = paths[path]["post"]
            content = described["requestBody"]["content"]
            assert set(content) == {"application/json", "application/x-ndjson"}
            assert {"200", "401", "403", "409", "413", "415", "422", "503"} <= set(described["responses"])
            assert [given["name"] for given in described["parameters"]] == ["Idempotency-Key", "new_classes"]
            for example in content["application/json"]["examples"].values():
                found = client.post(path, example["value"])
                assert found.status_code == 200, found.text
        live.close()
