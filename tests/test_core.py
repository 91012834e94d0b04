"""The door, the stub and the compiled core name the same things; a wrong stub would hide wrong calls from mypy."""

import ast
import re
from pathlib import Path

import pytest

from deciban import _core
from deciban._core import _native

STUB = ast.parse((Path(_core.__file__).parent / "_native.pyi").read_text())
FUNCTIONS = [node for node in STUB.body if isinstance(node, ast.FunctionDef)]
CLASSES = [node for node in STUB.body if isinstance(node, ast.ClassDef)]
METHODS = [
    (owner.name, node)
    for owner in CLASSES
    for node in owner.body
    if isinstance(node, ast.FunctionDef) and not node.name.startswith("__") and not node.decorator_list
]


def public(thing: object) -> set[str]:
    return {name for name in vars(thing) if not name.startswith("_")}


def parameters(function: object) -> list[str]:
    """The names of a compiled function's parameters, from its first signature in the docstring."""
    return re.findall(r"(?<=[( ])(self|\w+(?=: ))", function.__doc__.splitlines()[0])


def stubbed(node: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in node.args.args]


def test_door_opens_to_every_name():
    constants = {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign)}
    assert public(_native) == constants | {node.name for node in [*FUNCTIONS, *CLASSES]}
    door = {name: thing for name, thing in vars(_core).items() if not name.startswith("_")}
    assert set(door) == public(_native) | {"os", "check_choice"}  # and what the door itself imports
    assert all(door[name] is getattr(_native, name) for name in public(_native))


@pytest.mark.parametrize("node", FUNCTIONS, ids=lambda node: node.name)
def test_stub_names_the_parameters(node):
    assert parameters(getattr(_native, node.name)) == stubbed(node)


@pytest.mark.parametrize(("owner", "node"), METHODS, ids=lambda value: value if isinstance(value, str) else value.name)
def test_stub_names_the_parameters_of_methods(owner, node):
    assert parameters(getattr(getattr(_native, owner), node.name)) == stubbed(node)


@pytest.mark.parametrize("node", CLASSES, ids=lambda node: node.name)
def test_stub_names_the_methods(node):
    described = {member.name for member in node.body if isinstance(member, ast.FunctionDef)}
    assert {name for name in described if not name.startswith("__")} == public(getattr(_native, node.name))
