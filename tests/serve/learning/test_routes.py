"""What a client of ``/learn`` and ``/forget`` gets: an answer when the batch is on the disk, or one clear reason."""

import json

import pytest

import deciban as db
from deciban.serve.app import make_app
from deciban.serve.learning.live_model import Folding, LiveModel
from deciban.serve.learning.routes import learning_routes
from deciban.serve.limits import Limits
from deciban.serve.tokens import Tokens
from tests.serve.client import Client

from .conftest import FIRST, LABELS, ROWS, fitted

LIMITS = Limits(rows=50, body=20_000)
NDJSON = {"Content-Type": "application/x-ndjson"}


def _client(path, **options):
    live = LiveModel.open(path, Folding(changes=10**9, seconds=1e9))
    app = make_app(live, limits=LIMITS, routers=[learning_routes(live, LIMITS)], **options)
    return Client(app), live


@pytest.fixture
def client(path):
    made, live = _client(path)
    yield made
    live.close()


def _batch(start, stop, **more):
    return {"rows": ROWS[start:stop], "labels": LABELS[start:stop], **more}


def test_a_batch_is_learned_and_forgotten(client, path):
    learned = client.post("/learn", _batch(60, 70))
    assert learned.status_code == 200
    assert learned.json() == {"action": "learn", "rows": 10, "position": 1}
    assert client.post("/forget", _batch(0, 5)).json() == {"action": "forget", "rows": 5, "position": 2}
    about = client.get("/model").json()
    assert about["rows"] == FIRST + 5
    assert about["journal"]["position"] == 2
    metrics = client.get("/metrics").text
    assert "deciban_journal_position 2.0" in metrics
    assert 'deciban_rows_total{verb="learn"} 10' in metrics and 'deciban_rows_total{verb="forget"} 5' in metrics
    wanted = fitted(range(5, 70)).predict_proba(ROWS[:1])[0].tolist()
    assert list(client.post("/predict", ROWS[0]).json()["probabilities"].values()) == pytest.approx(wanted, rel=1e-9)


def test_a_batch_may_come_as_lines(client):
    lines = "\n".join(json.dumps({"row": ROWS[i], "label": LABELS[i]}) for i in range(60, 70))
    assert client.post("/learn", content=lines, headers=NDJSON).json()["rows"] == 10
    assert client.get("/model").json()["rows"] == FIRST + 10
    mixed = f"{json.dumps({'row': ROWS[0], 'label': LABELS[0]})}\n{json.dumps(ROWS[1])}"
    assert "or none is" in client.post("/learn", content=mixed, headers=NDJSON).json()["detail"]
    new = json.dumps({"row": ROWS[0], "label": "sleep"})
    assert client.post("/learn", content=new, headers=NDJSON).status_code == 422
    assert client.post("/learn?new_classes=true", content=new, headers=NDJSON).status_code == 200


def test_a_key_makes_a_request_safe_to_send_again(client):
    key = {"Idempotency-Key": "order-66"}
    first = client.post("/learn", _batch(60, 70), headers=key)
    again = client.post("/learn", _batch(60, 70), headers=key)
    assert first.json() == again.json()
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    other = client.post("/learn", _batch(60, 71), headers=key)
    assert other.status_code == 422
    assert "'order-66' was used before, with other rows" in other.json()["detail"]
    assert client.get("/model").json()["rows"] == FIRST + 10
    for bad in ("", "x" * 256, "tab\there"):
        assert client.post("/learn", _batch(60, 61), headers={"Idempotency-Key": bad}).status_code == 422


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ([], "the body is an object such as"),
        ({"labels": []}, "the body is an object such as"),
        ({"rows": [], "labels": []}, "there are no rows"),
        ({"rows": ROWS[:1], "label": ["play"]}, "no member 'label'. Did you mean 'labels'?"),
        ({"rows": ROWS[0], "labels": ["play"]}, "rows and labels are lists"),
        ({"rows": ROWS[:2], "labels": ["play"]}, "2 rows and 1 labels"),
        ({"rows": ROWS[:1], "labels": ["pley"]}, "Did you mean 'play'?"),
        ({"rows": [{"skye": "sun"}], "labels": ["play"]}, "Did you mean 'sky'?"),
        ({"rows": [{"warm": "hot"}], "labels": ["play"]}, "'hot' (row 0), which is not a number"),
        ({"rows": [3], "labels": ["play"]}, "row 0 is 3"),
        ({"rows": ROWS[:1]}, "there are no labels"),
        ({"rows": ROWS[:1], "labels": [None]}, "row 0 has no label"),
        ({"rows": ROWS[:1], "labels": ["play"], "new_classes": 1}, "new_classes is true or false"),
    ],
)
def test_a_batch_that_cannot_be_learned_says_why_and_changes_nothing(client, body, detail):
    found = client.post("/learn", body)
    assert found.status_code == 422
    assert found.headers["content-type"] == "application/problem+json"
    assert detail in found.json()["detail"]
    assert client.get("/model").json()["journal"]["position"] == 0


def test_rows_that_were_never_learned_are_not_forgotten(client):
    found = client.post("/forget", {"rows": [{"sky": "hail", "warm": 3, "wind": True}], "labels": ["play"]})
    assert found.status_code == 422
    assert "was never counted" in found.json()["detail"]


def test_limits_hold_for_batches(client):
    assert client.post("/learn", _batch(60, 111)).status_code == 413
    many = "\n".join(json.dumps({"row": ROWS[i % 400], "label": LABELS[i % 400]}) for i in range(400))
    assert client.post("/learn", content=many, headers=NDJSON).status_code == 413
    assert client.post("/learn", content="{", headers={"Content-Type": "application/json"}).status_code == 400
    assert client.post("/learn", content="{}", headers={"Content-Type": "text/plain"}).status_code == 415


def test_learning_needs_the_role_learn(path):
    client, live = _client(path, tokens=Tokens([("read", "r" * 16), ("learn", "l" * 16)]))
    for token, status in (("r", 403), ("l", 200), ("x", 401)):
        headers = {"Authorization": f"Bearer {token * 16}"}
        assert client.post("/learn", _batch(60, 61), headers=headers).status_code == status
    live.close()


def test_a_model_that_cannot_learn_is_a_conflict(tmp_path):
    texts = ["free prize now", "lunch at noon", "win a free prize", "see you at lunch"]
    labels = ["spam", "ham"] * 2
    models = [
        (db.LogCountRatio().fit(texts, labels), {"rows": texts[:1], "labels": ["spam"]}, "cannot learn more rows"),
        (db.TextNB("twcnb").fit(texts, labels), {"rows": texts[:1], "labels": ["spam"]}, "twcnb"),
        (
            db.BayesNet.from_tables(db.DAG(nodes=["a"]), {"a": ("x", "y")}, {"a": [0.5, 0.5]}),
            {"rows": [{"a": "x"}]},
            "given, not counted",
        ),
    ]
    for number, (model, body, detail) in enumerate(models):
        db.save(model, tmp_path / f"{number}.deciban")
        client, live = _client(tmp_path / f"{number}.deciban")
        found = client.post("/learn", body)
        assert found.status_code == 409
        assert detail in found.json()["detail"]
        live.close()


def test_trouble_with_the_disk_is_not_the_clients_fault(client, path):
    client.post("/learn", _batch(60, 61))
    path.with_name("days.deciban.journal").rename(path.with_name("moved"))
    found = client.post("/learn", _batch(61, 62))
    assert found.status_code == 503
    assert found.headers["retry-after"] == "1"
    assert "was moved or replaced" in found.json()["detail"]
    assert client.post("/predict", ROWS[0]).status_code == 200
    path.with_name("moved").rename(path.with_name("days.deciban.journal"))
    assert client.post("/learn", _batch(61, 62)).status_code == 200
