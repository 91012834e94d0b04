"""Metrics in the text format of Prometheus: what dashboards and alarms read."""

import re

from deciban.serve.metrics import OTHER, Metrics


def values(text):
    found = [line.rpartition(" ") for line in text.splitlines() if line and not line.startswith("#")]
    return {name: float(value) for name, _, value in found}


def test_requests_latencies_and_rows_are_counted():
    metrics = Metrics()
    for seconds in (0.0005, 0.0006, 0.3, 60.0):
        metrics.observe("/predict", 200, seconds)
    metrics.observe("/predict", 418, 0.1)
    metrics.observe(OTHER, 404, 0.1)
    metrics.add_rows("predict", 7)
    found = values(metrics.render({"journal_lag_rows": 3.0}))
    assert found['deciban_requests_total{route="/predict",status="200"}'] == 4
    assert found['deciban_requests_total{route="/predict",status="other"}'] == 1
    assert found['deciban_requests_total{route="other",status="404"}'] == 1
    bucket = 'deciban_request_seconds_bucket{{le="{}",route="/predict"}}'
    assert [found[bucket.format(le)] for le in ("0.0005", "0.001", "0.25", "0.5", "10.0", "+Inf")] == [1, 2, 3, 4, 4, 5]
    assert found['deciban_request_seconds_count{route="/predict"}'] == 5
    assert abs(found['deciban_request_seconds_sum{route="/predict"}'] - 60.4011) < 1e-9
    assert found['deciban_rows_total{verb="predict"}'] == 7 and found["deciban_journal_lag_rows"] == 3


def test_every_family_has_help_and_type_and_lines_of_the_format():
    metrics = Metrics()
    metrics.observe("/predict", 200, 0.1)
    lines = metrics.render({"journal_lag_rows": 0.0}).splitlines()
    line = re.compile(r'(# (HELP|TYPE) deciban_\w+ .+|deciban_\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [0-9.e+-]+)')
    assert all(line.fullmatch(text) for text in lines)
    names = {re.match(r"deciban_[a-z_]+?(?=_bucket|_sum|_count|[{ ])", text)[0] for text in lines if text[0] != "#"}
    assert names == {text.split()[2] for text in lines if text.startswith("# TYPE")}
