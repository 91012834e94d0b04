"""`import deciban` loads nothing heavy, and editors and type checkers still see its names."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import deciban as db

HEAVY = ("sklearn", "scipy", "pyarrow", "pandas", "numpy")
VERSION = "import runpy; sys.argv = ['deciban', '--version']; from deciban.cli import app; app(standalone_mode=False)"


@pytest.mark.parametrize("statement", ["import deciban", "import deciban; deciban.__version__", VERSION])
def test_heavy_libraries_are_not_loaded(statement):
    code = f"import sys; {statement}; print('loaded:', [name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "loaded: []"


def test_every_public_name_is_listed_and_can_be_imported():
    assert dir(db) == sorted(db.__all__)
    for name in db.__all__:
        assert getattr(db, name) is not None
    assert db.__version__.count(".") == 2


def test_the_stub_lists_what_is_exported():
    tree = ast.parse(Path(db.__file__).with_suffix(".pyi").read_text("utf-8"))
    imported = [alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(alias.asname for alias in imported) == sorted(db.__all__)
    assert all(alias.name == alias.asname for alias in imported)  # "as" makes a stub's name public


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="NaiveBays"):
        db.NaiveBays  # noqa: B018


@pytest.mark.parametrize("name", sorted(db._MOVED))
def test_a_name_that_has_moved_says_where_it_is_now(name):
    with pytest.raises(AttributeError, match=rf"deciban\.{name} is now (?P<package>[\w.]+)\.{name}: from ") as told:
        getattr(db, name)
    package = str(told.value).split("from ")[1].split(" import")[0]
    assert getattr(import_module(package), name) is not None
    assert name not in dir(db)
