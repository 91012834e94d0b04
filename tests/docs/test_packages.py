"""A page that imports a package which deciban does not need tells its readers to install it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from docs.update import PAGES, TABLES

NEEDED = {"deciban", "numpy", "scipy", "sklearn", "pyarrow", "narwhals"}
EXTRAS = {"sqlglot": "sql", "onnx": "onnx", "matplotlib": "plot", "networkx": "nets"}
_CODE = re.compile(r"^```(?:python|pycon)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_IMPORT = re.compile(r"^(?:>>> |\.\.\. )?\s*(?:from|import) (\w+)", re.MULTILINE)
_INSTALL = re.compile(r"pip install ([^`\n]+)")


def imported(text: str) -> set[str]:
    """The packages that the examples of a page import and deciban does not bring."""
    own = {file.stem for file in TABLES.glob("*.py")}
    codes = [found["code"] for found in _CODE.finditer(text)]
    found = {name for code in codes for name in _IMPORT.findall(code)}
    found |= {"pandas" for code in codes if "as_frame=True" in code}
    return found - NEEDED - own - set(sys.stdlib_module_names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_packages_that_a_page_imports_are_named(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"[\w-]+", " ".join(_INSTALL.findall(text))))
    absent = {name for name in imported(text) if name not in named and EXTRAS.get(name) not in named}
    assert absent == set(), "name them on the page: pip install …"
