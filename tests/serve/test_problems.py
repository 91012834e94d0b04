"""Errors as JSON: what a client reads when a request fails."""

import json

from starlette.exceptions import HTTPException

from deciban.errors import ColumnMismatchError
from deciban.serve.limits import Problem, is_protocol, response_of


def test_errors_are_problem_documents():
    found = response_of(ColumnMismatchError("there is no column 'x'."), "/predict")
    assert found.status_code == 422 and found.media_type == "application/problem+json"
    assert json.loads(found.body) == {
        "type": "about:blank",
        "title": "Unprocessable Content",
        "status": 422,
        "detail": "there is no column 'x'.",
    }


def test_the_protocol_has_its_own_form_and_status():
    found = response_of(ColumnMismatchError("no."), "/v2/models/m/infer")
    assert (found.status_code, json.loads(found.body)) == (400, {"error": "no."})
    assert response_of(Problem(404, "no."), "/v2").status_code == 404


def test_the_text_of_an_unexpected_error_is_not_shown():
    assert b"secret" not in response_of(RuntimeError("secret"), "/predict").body


def test_headers_and_further_members_are_kept():
    found = response_of(Problem(503, "busy.", {"Retry-After": "1"}, line=3), "/predict")
    assert found.headers["retry-after"] == "1" and json.loads(found.body)["line"] == 3
    assert response_of(HTTPException(405, headers={"Allow": "POST"}), "/predict").headers["allow"] == "POST"


def test_paths_of_the_protocol():
    assert is_protocol("/v2") and is_protocol("/v2/health/live") and not is_protocol("/v20")
