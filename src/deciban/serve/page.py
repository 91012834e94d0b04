"""The description of the routes as one page without scripts, so that it needs no network and no other server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

import orjson

__all__ = ["page_of"]

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
code, pre { font: 14px/1.4 ui-monospace, monospace; }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8884; border-radius: .4rem; }
h2 { margin-top: 2.5rem; border-top: 1px solid #8884; padding-top: 1rem; font-size: 1.1rem; }
"""


def page_of(openapi: Mapping[str, Any]) -> str:
    """The page of an OpenAPI document: for each route its text, its example and its answers."""
    title = escape(f"{openapi['info']['title']} {openapi['info']['version']}")
    about = escape(openapi["info"].get("description", ""))
    parts = [
        "\n".join(_route(path, method, operation))
        for path, methods in openapi["paths"].items()
        for method, operation in methods.items()
    ]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body><h1>{title}</h1><p>{about}</p>"
        '<p>The same as JSON: <a href="openapi.json">openapi.json</a></p>'
        f"{''.join(parts)}</body></html>"
    )


def _route(path: str, method: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h2><code>{method.upper()} {escape(path)}</code></h2><p>{escape(operation.get('description', ''))}</p>"
    content = operation.get("requestBody", {}).get("content", {})
    for name, example in content.get("application/json", {}).get("examples", {}).items():
        text = orjson.dumps(example["value"], option=orjson.OPT_INDENT_2).decode()
        yield f"<p>Example: {escape(name)}</p><pre>{escape(text)}</pre>"
    answers = (f"{status} {answer.get('description', '')}" for status, answer in operation["responses"].items())
    yield f"<p>Answers: {escape('; '.join(answers))}</p>"
