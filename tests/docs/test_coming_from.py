"""The calls of deciban on the pages "Coming from …" name functions, methods and arguments that exist."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

import deciban as db
from docs.update import ROOT

PAGES = sorted((ROOT / "docs" / "coming-from").glob("*.md"))
TABLE = {"a": ["x", "y", "x", "y"], "b": ["p", "q", "q", "q"]}
DAG = db.DAG([("a", "b")])
KINDS = {
    "model": [
        db.NaiveBayes().fit(TABLE, "b"),
        db.TextNB().fit(["one two", "three"], ["x", "y"]),
        db.TAN().fit(TABLE, "b"),
        db.BayesNetClassifier().fit(TABLE, "b"),
        db.GaussianNB().fit([[0.0], [1.0]], [0, 1]),
    ],
    "net": [db.BayesNet(DAG).fit(TABLE), db.GaussianNet(DAG).fit({"a": [0.0, 1.0, 2.0], "b": [0.0, 1.0, 0.5]})],
    "found": [db.discover(db.Oracle(DAG)), db.search(TABLE)],
    "dag": [DAG],
    "cpdag": [DAG.cpdag()],
    "other": [DAG, db.BayesNet(DAG)],
    "tally": [db.tally(TABLE, target="b")],
}
_CODE = re.compile(r"(`+)(?P<code>.+?)\1")


def calls(page: Path) -> list[str]:
    """The code in the last column of each table of calls."""
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [re.split(r"(?<!\\)\|", row)[-2] for row in rows]
    return [found["code"].replace("\\|", "|") for cell in cells for found in _CODE.finditer(cell)]


def unknown(code: str) -> list[str]:
    """What a call names and deciban does not have."""
    try:
        tree = ast.parse(code, mode="eval")
    except SyntaxError:
        return []  # a single argument, or a command
    faults = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = node.value.id
            kinds = [db] if owner == "db" else KINDS.get(owner, [])
            if kinds and not any(hasattr(kind, node.attr) for kind in kinds):
                faults.append(f"{owner}.{node.attr}")
        if isinstance(node, ast.Call):
            faults += _unknown_arguments(node)
    return faults


def _unknown_arguments(call: ast.Call) -> list[str]:
    function = _function(call.func)
    if function is None or not callable(function):
        return []
    known = inspect.signature(function).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        return []
    return [f"{ast.unparse(call.func)}({word.arg}=…)" for word in call.keywords if word.arg not in known]


def _function(node: ast.expr) -> object | None:
    """The function that is called: `db.name`, or a method of a kind that has it."""
    if not isinstance(node, ast.Attribute):
        return None
    if isinstance(node.value, ast.Name):
        kinds = [db] if node.value.id == "db" else KINDS.get(node.value.id, [])
        return next((getattr(kind, node.attr) for kind in kinds if hasattr(kind, node.attr)), None)
    if isinstance(node.value, ast.Call):  # db.BayesNet(dag).fit(data)
        made = _function(node.value.func)
        return getattr(made, node.attr, None) if isinstance(made, type) else None
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_calls_of_deciban_exist(page: Path) -> None:
    assert [fault for code in calls(page) for fault in unknown(code)] == []


@pytest.mark.parametrize(
    ("code", "faults"),
    [
        ("db.NaiveBayes(weights=None).fit(data, 'class')", []),
        ("db.NaiveBaies()", ["db.NaiveBaies"]),
        ("db.NaiveBayes(weight=1)", ["db.NaiveBayes(weight=…)"]),
        ("db.BayesNet(dag).fit(data, smoothin=1)", ["db.BayesNet(dag).fit(smoothin=…)"]),
        ("net.querry('A')", ["net.querry"]),
        ("laplace = 1", []),
    ],
)
def test_a_wrong_call_is_found(code: str, faults: list[str]) -> None:
    assert unknown(code) == faults
