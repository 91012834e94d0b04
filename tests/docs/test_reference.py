"""Every public name has an entry in the reference, with all parameters described and an example that runs.

The examples themselves are run where they stand, by ``pytest --doctest-modules``.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import deciban as db

ROOT = Path(__file__).resolve().parents[2]
SOURCE, PAGES = ROOT / "src" / "deciban", ROOT / "docs" / "reference"


class Entry(NamedTuple):
    """A name of the reference, and whether its page shows the members of a class."""

    name: str
    shows_members: bool

    @property
    def value(self) -> Any:
        module, _, name = self.name.rpartition(".")
        return getattr(importlib.import_module(module), name)


def public_names() -> Iterator[str]:
    """What `from deciban import …` offers, and its packages of classifiers and nets."""
    for package in ("", "models", "nets"):
        stub = (SOURCE / package / "__init__.pyi").read_text(encoding="utf-8")
        for name in re.findall(r"^from \S+ import \w+ as (\w+)$", stub, re.MULTILINE):
            yield ".".join(filter(None, ("deciban", package, name)))


def entries(page: str) -> Iterator[Entry]:
    """The entries of a page: the names below its ``autosummary`` directives."""
    module, is_list, shows_members = "", False, True
    for line in page.splitlines():
        if found := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = found[1]
        elif line.startswith(".. autosummary::"):
            is_list, shows_members = True, True
        elif is_list and line.strip().startswith(":template: autosummary/value"):
            shows_members = False
        elif is_list and (found := re.fullmatch(r"   ([\w.]+)", line)):
            yield Entry(f"{module}.{found[1]}", shows_members)
        elif found := re.match(r"\.\. (?:auto|py:)data:: (\w+)$", line):
            yield Entry(f"{module}.{found[1]}", shows_members=False)
        elif line and not line.startswith(" "):
            is_list = False


ENTRIES = sorted({entry for page in PAGES.glob("*.md") for entry in entries(page.read_text(encoding="utf-8"))})
SHOWN = {id(entry.value) for entry in ENTRIES} | {id(db.errors)}  # errors.md shows the whole module
NAMES = sorted(set(public_names()))
CALLABLE = [name for name in NAMES if not isinstance(Entry(name, shows_members=True).value, Mapping)]
WITH_MEMBERS = [entry.name for entry in ENTRIES if entry.shows_members and inspect.isclass(entry.value)]


def described(document: str, *sections: str) -> set[str]:
    """The names that the sections of a docstring describe: those before a colon, or alone on a line."""
    found = set()
    for section in sections:
        body = re.search(rf"^{section}\n-+\n(.*?)(?=\n\n\S[^\n]*\n--|\Z)", document, re.MULTILINE | re.DOTALL)
        for line in body[1].splitlines() if body else ():
            if line and not line.startswith(" "):
                found |= {name.strip(" *") for name in line.split(" : ")[0].split(",")}
    return found


def parameters(function: Any) -> set[str]:
    """The public parameters of a function, a method or a class."""
    if getattr(function, "_is_protocol", False):
        return set()
    names = set(inspect.signature(function).parameters) - {"self", "cls"}
    return {name for name in names if not name.startswith("_")}


_HIDDEN = ("transform", "set_output")  # one exists once pyspark is imported, the other does nothing


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class that deciban defines."""
    for name in dir(kind):
        held = inspect.getattr_static(kind, name)
        held = getattr(held, "fn", held)  # a method that scikit-learn's `available_if` hides at times
        if isinstance(held, classmethod | staticmethod):
            held = held.__func__
        function = held.fget if isinstance(held, property) else getattr(held, "func", held)
        is_own = inspect.isfunction(function) and function.__module__.startswith("deciban")
        if is_own and not name.startswith("_"):
            yield name, held


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_an_entry(name):
    assert id(Entry(name, shows_members=True).value) in SHOWN, f"{name} has no entry in docs/reference"


@pytest.mark.parametrize("name", CALLABLE)
def test_every_public_name_has_an_example(name):
    assert ">>> " in (inspect.getdoc(Entry(name, shows_members=True).value) or ""), f"{name} has no example"


@pytest.mark.parametrize("name", [entry.name for entry in ENTRIES if callable(entry.value)])
def test_every_parameter_is_described(name):
    value = Entry(name, shows_members=True).value
    sections = ("Parameters", "Attributes") if inspect.isclass(value) else ("Parameters",)
    assert parameters(value) <= described(inspect.getdoc(value) or "", *sections)


@pytest.mark.parametrize("name", WITH_MEMBERS)
def test_every_method_is_described(name):
    kind, lacking = Entry(name, shows_members=True).value, {}
    for member, held in members(kind):
        document = inspect.getdoc(held if member in _HIDDEN else getattr(kind, member)) or ""
        if not document:
            lacking[member] = "no docstring"
        elif not isinstance(held, property | cached_property):
            missing = parameters(held) - described(document, "Parameters")
            if missing:
                lacking[member] = f"no description of {', '.join(sorted(missing))}"
    assert not lacking


def test_the_parser_of_docstrings_finds_what_is_missing():
    document = (
        "Do.\n\nParameters\n----------\nX : array\n    It.\na, b : int\n*more\n    Others.\n\nReturns\n-------\ny"
    )
    assert described(document, "Parameters") == {"X", "a", "b", "more"}
    assert described("Do.", "Parameters") == set()


def test_pages_are_read_by_their_directives():
    page = (
        "```{eval-rst}\n.. currentmodule:: deciban\n\n.. autosummary::\n   :toctree: generated\n   :nosignatures:\n\n"
        "   load\n```\n\n```{eval-rst}\n.. currentmodule:: deciban\n\n.. autosummary::\n"
        "   :template: autosummary/value.rst\n\n   MLE\n```\n"
    )
    assert list(entries(page)) == [Entry("deciban.load", shows_members=True), Entry("deciban.MLE", shows_members=False)]
