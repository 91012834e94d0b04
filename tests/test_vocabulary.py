"""One word for one thing: docs/reference/vocabulary.md explains every argument of every public function and method.

A user who knows `sample_weight`, `missing` or `evidence` from one function must find the same word in the others.
"""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import deciban as db
from deciban.decide import Report
from deciban.explain import DocumentExplanation, Evidence, Explanation
from deciban.nets import (
    Beliefs,
    Discovery,
    Distribution,
    Effect,
    Estimand,
    Identification,
    JointDistribution,
    PossibleEffects,
    SearchResult,
)
from deciban.reports import HtmlReport

PAGE = (Path(__file__).parents[1] / "docs" / "reference" / "vocabulary.md").read_text(encoding="utf-8")
WORDS = {word for row in re.findall(r"^\| (`[^|]*) \|", PAGE, re.MULTILINE) for word in re.findall(r"`(\w+)`", row)}

RESULTS = {
    Beliefs, Discovery, Distribution, DocumentExplanation, Effect, Estimand, Evidence,
    Explanation, HtmlReport, Identification, JointDistribution, PossibleEffects, Report,
    SearchResult, db.Tally,
}  # fmt: skip
"""Values that deciban makes: nobody passes the arguments of their constructors."""

POSITIONAL = {
    # scikit-learn's own signatures
    "fit", "partial_fit", "score",
    # a model and its rows, as in `score`
    "report",
    # questions about two nodes or columns, given others
    "d_connected_nodes", "d_separated", "explain_separation", "has_rows", "independent", "m_separated",
    "minimal_separator", "mutual_information", "test", "values",
    # a graph and its nodes; a net and its tables
    "CPDAG", "PDAG", "from_tables", "Knowledge", "LinearGaussian",
    # the protocol of a distribution, which models call
    "add_margins", "codes", "count", "draw_values", "leave_one_out", "without_own",
}  # fmt: skip
"""Functions with more than two positional arguments, and why."""


def members(name, value):
    if value not in RESULTS:
        yield name, value
    for method in dir(value):
        function = inspect.getattr_static(value, method)
        if isinstance(function, classmethod | staticmethod):
            function = function.__func__
        function = getattr(function, "fn", function)  # a method that scikit-learn's `available_if` hides at times
        own = inspect.isfunction(function) and function.__module__.startswith("deciban")
        if own and not method.startswith("_"):
            yield f"{name}.{method}", function


def signatures():
    moved = [(name, getattr(import_module(package), name)) for name, package in db._MOVED.items()]
    for name, value in sorted([*((name, getattr(db, name)) for name in db.__all__), *moved]):
        if inspect.isclass(value) and not issubclass(value, BaseException):
            yield from members(name, value)
        elif inspect.isfunction(value):
            yield name, value


SIGNATURES = {
    name: [p for p in inspect.signature(function).parameters.values() if p.name not in ("self", "cls")]
    for name, function in signatures()
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_every_argument_is_in_the_vocabulary(name):
    unknown = [parameter.name for parameter in SIGNATURES[name] if parameter.name not in WORDS]
    assert not unknown, f"{name} has arguments that docs/reference/vocabulary.md does not explain"


@pytest.mark.parametrize("name", SIGNATURES)
def test_arguments_after_the_first_two_are_passed_by_name(name):
    positional = [p for p in SIGNATURES[name] if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    assert len(positional) <= 2 or name.split(".")[-1] in POSITIONAL


def test_every_word_is_used():
    used = {parameter.name for parameters in SIGNATURES.values() for parameter in parameters}
    assert used == WORDS


@pytest.mark.parametrize("word", ["cause", "effect"])
def test_cause_and_effect_are_named(word):
    for function in (db.identify, db.effect, db.ida):
        assert inspect.signature(function).parameters[word].kind is inspect.Parameter.KEYWORD_ONLY
