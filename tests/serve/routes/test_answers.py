"""JSON bodies with their headers."""

from deciban.serve.routes import json_response


def test_the_headers_fit_the_body():
    found = json_response({"label": "é"})
    assert found.body == '{"label":"é"}'.encode() and found.status_code == 200
    assert dict(found.headers) == {"content-length": "14", "content-type": "application/json"}
