"""Layers that import-linter does not see: who touches the compiled core."""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "deciban"


def imports_core(path: Path) -> bool:
    tree = ast.parse(path.read_text())
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return any(
        (node.module == "deciban" and any(name.name == "_core" for name in node.names))
        or node.module == "deciban._core"
        for node in froms
    )


def test_few_modules_touch_the_core():
    touching = {path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if imports_core(path)}
    doors = {"tallies/kernels.py", "thread_pool.py", "text/kernels.py"}
    doors |= {"estimate/column.py", "estimate/live.py"}
    doors |= {"models/families/kdb.py", "models/families/trees.py"}
    assert {str(path) for path in touching if path.parts[0] not in {"nets", "_core"}} == doors


def test_only_the_door_imports_the_compiled_module():
    compiled = re.compile(r"import _native|_core\._native")
    touching = [path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if compiled.search(path.read_text())]
    assert touching == [Path("_core/__init__.py")]


def test_contributing_shows_the_orders_that_the_linter_holds():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    text = " ".join((ROOT / "CONTRIBUTING.md").read_text().split())
    orders = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    assert len(orders) == 2
    for prefix, order in zip(("deciban.", "deciban.nets."), orders, strict=True):
        assert " → ".join(layer.replace(prefix, "") for layer in order) in text
