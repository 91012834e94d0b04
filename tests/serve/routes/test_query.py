"""``/query`` as a client sees it."""

from deciban.serve.limits import Limits
from tests.serve.client import client_of, net, table_model


def test_one_query_and_several():
    client = client_of(net(), limits=Limits(rows=5))
    one = client.post("/query", {"targets": "rain", "evidence": {"wet": "yes"}})
    assert one.json() == {"target": "rain", "probabilities": dict(net().query("rain", {"wet": "yes"}))}
    many = client.post("/query", [{"targets": "rain", "evidence": {"wet": "yes"}}, {}]).json()
    assert many[0] == one.json() and set(many[1]["marginals"]) == {"rain", "wet"}
    assert client.post("/query", [{}] * 6).status_code == 413 and client.post("/query", []).status_code == 422


def test_a_query_that_cannot_be_answered_says_why():
    found = client_of(net()).post("/query", {"targets": "rian"})
    assert found.status_code == 422 and "Did you mean 'rain'?" in found.json()["detail"]
    both = {"targets": "rain", "evidence": {"rain": "yes"}}
    assert client_of(net()).post("/query", both).status_code == 422


def test_the_answers_to_a_list_are_limited_together():
    client = client_of(net(), limits=Limits(cells=7))
    query = {"targets": ["rain", "wet"]}
    assert client.post("/query", query).status_code == 200 and client.post("/query", [query] * 2).status_code == 422


def test_a_classifier_has_no_queries():
    assert client_of(table_model()).post("/query", {}).status_code == 404
