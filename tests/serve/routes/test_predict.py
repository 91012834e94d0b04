"""``/predict`` and ``/explain`` as a client sees them."""

import numpy as np
import orjson
import pytest

import deciban as db
from deciban.serve.limits import Limits
from tests.serve.client import ROW, client_of, net, records, table_model, text_model, tree_model


@pytest.fixture(scope="module")
def client():
    return client_of(table_model(), limits=Limits(rows=100, columns=50))


def test_a_row_and_a_list_of_rows(client):
    found, expected = client.post("/predict", ROW), table_model().predict_proba_one(ROW)
    assert found.status_code == 200 and found.headers["content-type"] == "application/json"
    assert found.json() == {"label": "play", "probabilities": expected}
    many = client.post("/predict", records()).json()
    posteriors = [list(one["probabilities"].values()) for one in many]
    assert np.allclose(posteriors, table_model().predict_proba(records()), rtol=0, atol=1e-12)


def test_documents_and_models_whose_rows_are_gathered():
    assert client_of(text_model()).post("/predict", "cheap money").json()["label"] == "spam"
    assert client_of(text_model()).post("/predict", ["cheap money", "friend"]).json()[1]["label"] == "ham"
    found = client_of(tree_model()).post("/predict", ROW).json()["probabilities"]
    assert list(found.values()) == tree_model().predict_proba([ROW])[0].tolist()


@pytest.mark.parametrize(
    ("content", "status", "message"),
    [
        (b"", 400, "the body is empty"),
        (b'{"sky": NaN}', 400, "not JSON"),
        (b'{"warm": 1e999}', 400, "not JSON"),
        (b'{"sky": "\xff"}', 400, "not JSON"),
        (b"[" * 100_000, 400, "not JSON"),
        (b"[]", 422, "the list is empty"),
        (b"3", 422, "a row is an object"),
        (b'{"skyy": "sun"}', 422, "Did you mean 'sky'?"),
        (b'{"sky": {"a": {"b": 1}}}', 422, "neither a number nor a label"),
        (b'[{"warm": [[[]]]}]', 422, "neither a number nor a label"),
        (b'{"warm": "hot"}', 422, "not a number"),
        (b'[{"warm": "hot"}]', 422, "not a number"),
        (b"[" + b",".join([b"{}"] * 101) + b"]", 413, "101 rows are more than the limit of 100"),
        (b"{" + b",".join(b'"c%d": 1' % i for i in range(51)) + b"}", 413, "51 values"),
    ],
)
def test_input_that_cannot_be_used_is_refused_with_the_reason(client, content, status, message):
    for path in ("/predict", "/explain"):
        found = client.post(path, content=content)
        assert (found.status_code, found.json()["status"]) == (status, status)
        assert message in found.json()["detail"]
        assert found.headers["content-type"] == "application/problem+json"


def test_strange_but_valid_values_have_an_answer(client):
    for row in ({}, {"warm": 1.7e308}, {"guests": 2**64 - 1}, {"guests": 10**30}, {"sky": ""}, {"sky": "\u0000"}):
        found = client.post("/predict", row)
        assert found.status_code == 200 and abs(sum(found.json()["probabilities"].values()) - 1) < 1e-12


def test_explanations_of_a_row_and_of_several(client):
    one = client.post("/explain", ROW).json()
    assert one["label"] == "play" and one["total_db"] == table_model().explain(ROW).total_db
    assert client.post("/explain", [ROW, {}]).json()[0] == one
    against = client.post("/explain?against=stay", ROW).json()
    assert against["against"] == "stay"
    unknown = client.post("/explain?against=sty", ROW)
    assert unknown.status_code == 422 and "Did you mean 'stay'" in unknown.json()["detail"]


LABELS = {"whole": [0, 1], "float": [0.0, 1.0], "boolean": [False, True], "text": ["a", "b"]}
KINDS = {
    "naive": db.NaiveBayes,
    "by likelihood": lambda: db.NaiveBayes(rule="ml"),
    "rejecting": lambda: db.NaiveBayes(reject=0.51),
    "with costs": lambda: db.NaiveBayes(loss=[[0, 1], [2, 0]]),
    "tan": db.TAN,
    "kdb": db.KDB,
    "combined": db.AutoBayes,
    "categorical": db.CategoricalNB,
    "text": db.TextNB,
    "ratio": db.LogCountRatio,
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("kind", KINDS)
def test_labels_have_the_type_that_they_had_in_fit_in_every_answer(kind, labels):
    is_text = kind in ("text", "ratio")
    X = ["free win", "lunch at noon"] * 12 if is_text else {"guests": [1, 2, 1, 2, 1, 2] * 4, "dry": [1, 0] * 12}
    client, row = client_of(KINDS[kind]().fit(X, labels * 12)), "free win" if is_text else {"guests": 1, "dry": 1}
    found = [client.post("/predict", row).json(), client.post("/predict", [row]).json()[0]]
    line = orjson.dumps(row)
    answer = client.request("POST", "/predict", content=line, headers={"Content-Type": "application/x-ndjson"})
    found += [orjson.loads(answer.content), client.post("/explain", row).json()]
    assert [repr(one["label"]) for one in found] == [repr(labels[0])] * 4
    assert repr(found[-1]["against"]) == repr(labels[1])
    assert {repr(label) for label in client.get("/model").json()["classes"]} == set(map(repr, labels))
    if not is_text:
        assert {one["column"]: repr(one["value"]) for one in found[-1]["reasons"]} == {"guests": "1", "dry": "1"}


def test_a_long_text_in_a_row_is_cut():
    model = db.NaiveBayes({"note": db.Text()}).fit({"note": ["free win", "noon"] * 5}, ["spam", "ham"] * 5)
    answer = client_of(model).post("/explain", {"note": "free win " * 50_000})
    assert len(answer.content) < 2_000 and answer.json()["reasons"][0]["value"].endswith("…")


def test_a_net_has_no_predictions():
    assert client_of(net()).post("/predict", {}).status_code == 404
