"""Pages for developers name files that exist; that on the architecture names all layers, and what nine calls run."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from docs.development.paths import Step, calls, follow

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "deciban"
LAYERS_OF_PAGE, CALLS_OF_PAGE = (
    (ROOT / "docs" / "development" / "architecture.md").read_text(encoding="utf-8").split("## Nine calls")
)

PAGES = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs" / "development").glob("*.md"))]

_FILE = re.compile(r"`([\w./]+(?:\.\w+|/))`")
_STEP = re.compile(r"^\d+\. `([\w.]+)` in `([\w/]+\.py)`", re.MULTILINE)


def layers() -> dict[str, tuple[int, int]]:
    """The rank of each module that a contract names: (layer of the package, layer inside nets), 0 is the top."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    package, nets = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    ranks = {name: (i, 0) for i, layer in enumerate(package) for name in re.split(r" [|:] ", layer)}
    depth = ranks["deciban.nets"][0]
    return ranks | {name: (depth, i) for i, layer in enumerate(nets) for name in layer.split(" | ")}


LAYERS = layers()


def rank(file: str) -> tuple[int, int]:
    """The layer of a file that is named relative to src/deciban."""
    parts = ["deciban", *file.removesuffix("/__init__.py").removesuffix(".py").split("/")]
    return next((LAYERS[name] for n in (3, 2) if (name := ".".join(parts[:n])) in LAYERS), (len(LAYERS), 0))


SECTIONS = {
    heading: _STEP.findall(text)
    for heading, _, text in (section.partition("\n") for section in CALLS_OF_PAGE.split("\n### ")[1:])
}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_every_file_that_is_named_exists(page: Path) -> None:
    names = [name for name in _FILE.findall(page.read_text(encoding="utf-8")) if "/" in name and "/." not in name]
    # Only the page on the architecture names files relative to the package: it says so.
    folders = (SOURCE, ROOT) if page.stem == "architecture" else (ROOT,)
    assert not [name for name in names if not any((folder / name).exists() for folder in folders)]


def test_every_layer_is_described_and_they_are_in_order() -> None:
    named = {name.removeprefix("deciban.").replace(".", "/") for name in LAYERS}
    described = set()
    for table in LAYERS_OF_PAGE.split("Inside `nets/`"):
        rows = [_FILE.findall(line.split("|")[1]) for line in table.splitlines() if line.startswith("| `")]
        files = [file.strip("/").removesuffix(".py") for row in rows for file in row]
        assert files == sorted(files, key=rank)
        described |= set(files)
    assert described == named


def test_the_page_follows_the_calls_that_the_script_makes(tmp_path: Path) -> None:
    assert list(SECTIONS) == [name for name, _ in calls(tmp_path)]


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Step]]:
    return {name: follow(call) for name, call in calls(tmp_path_factory.mktemp("calls"))}


@pytest.mark.parametrize("name", SECTIONS)
def test_a_call_runs_the_steps_of_its_section_in_their_order(name: str, followed: dict[str, list[Step]]) -> None:
    ran = list(dict.fromkeys((step.function, step.file) for step in followed[name]))
    assert not [step for step in SECTIONS[name] if step not in ran]
    assert SECTIONS[name] == sorted(SECTIONS[name], key=ran.index)


@pytest.mark.parametrize("name", SECTIONS)
def test_a_call_never_goes_up_a_layer(name: str, followed: dict[str, list[Step]]) -> None:
    # A function that is passed down runs in the file that made it.
    steps = [step for step in followed[name] if step.caller is not None and "<" not in step.function]
    assert not [step for step in steps if rank(step.caller or "") > rank(step.declared)]
