"""Requests made from the OpenAPI description: those that fit it, and those that break it on purpose."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
HOST = {"Host": "localhost"}


def explore(app, examples: int, only: str = "POST") -> Counter:
    """Try each route; the number of answers by status."""
    schema, answers = schemathesis.openapi.from_asgi("/openapi.json", app, headers=HOST), Counter()
    for found in schema.get_all_operations():
        operation = found.ok()
        if only not in operation.label:
            continue
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            _try(operation.as_strategy(generation_mode=mode), examples, answers)
    return answers


def _try(cases, examples: int, answers: Counter) -> None:
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck), phases=[Phase.generate], database=None)
    @given(cases)
    def run(case):
        answer = case.call(headers=HOST)
        answers[answer.status_code] += 1
        case.validate_response(answer, checks=CHECKS)

    with suppress(Unsatisfiable):  # a route without parameters has no requests that break its description
        run()
