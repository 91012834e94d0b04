"""The page on the architecture names files that exist, in the order of the layers, and calls that go through them."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import deciban as db

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "deciban"
PAGE = (ROOT / "docs" / "development" / "architecture.md").read_text(encoding="utf-8")

_FILE = re.compile(r"`([\w./]+(?:\.py|\.cpp|/))`")
_STEPS = re.compile(r"(?:^\d+\. .*\n)+", re.MULTILINE)


def layers() -> dict[str, tuple[int, int]]:
    """The rank of each module that a contract names: (layer of the package, layer inside nets), 0 is the top."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    package, nets = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    ranks = {name: (i, 0) for i, layer in enumerate(package) for name in layer.split(" | ")}
    depth = ranks["deciban.nets"][0]
    return ranks | {name: (depth, i) for i, layer in enumerate(nets) for name in layer.split(" | ")}


LAYERS = layers()


def rank(file: str) -> tuple[int, int]:
    """The layer of a file that is named relative to src/deciban; the C++ core is below all others."""
    if file.startswith("core/"):
        return len(LAYERS), 0
    parts = ["deciban", *file.removesuffix("/__init__.py").removesuffix(".py").split("/")]
    return next(LAYERS[name] for n in (3, 2) if (name := ".".join(parts[:n])) in LAYERS)


def lists() -> dict[str, list[list[str]]]:
    """The files of each numbered list, by the heading of its section."""
    sections = re.split(r"^### ", PAGE.split("## Five paths")[1], flags=re.MULTILINE)[1:]
    return {
        section.splitlines()[0]: [_FILE.findall(steps) for steps in _STEPS.findall(section)] for section in sections
    }


LISTS = lists()


# The calls of the page -----------------------------------------------------------------------------------------------


def _table() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    a = rng.random(400) < 0.5
    b = rng.random(400) < np.where(a, 0.8, 0.2)
    return {"a": a, "b": b, "c": rng.random(400) < np.where(b, 0.8, 0.2)}


def categorical() -> Iterator[Callable[[], Any]]:
    X, y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 5), np.array([0, 1, 1, 0] * 5)
    model = db.CategoricalNB()
    yield lambda: model.fit(X, y)
    yield lambda: model.predict(X)


def naive_bayes() -> Iterator[Callable[[], Any]]:
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({"size": np.random.default_rng(0).normal(size=60), "colour": ["red", "green", "blue"] * 20})
    model = db.NaiveBayes()
    yield lambda: model.fit(X, ["p", "q"] * 30)
    yield lambda: model.explain(X.iloc[[0]])


def text() -> Iterator[Callable[[], Any]]:
    documents, labels = ["free prize now", "see you at home", "win now", "lunch at noon"] * 5, ["spam", "ham"] * 10
    model = db.TextNB()
    yield lambda: model.fit(documents, labels)
    yield lambda: model.predict(documents)


def discover() -> Iterator[Callable[[], Any]]:
    yield lambda: db.discover(_table())


def bayes_net() -> Iterator[Callable[[], Any]]:
    table, nets = _table(), []
    yield lambda: nets.append(db.BayesNet([("a", "b"), ("b", "c")]).fit(table))
    yield lambda: nets[0].query("a", {"c": True})


PATHS = dict(zip(LISTS, (categorical, naive_bayes, text, discover, bayes_net), strict=True))


def follow(call: Callable[[], Any]) -> tuple[set[str], set[tuple[str, str]]]:
    """The files of deciban that a call goes through, and the pairs (caller, called) of different objects."""
    files: set[str] = set()
    pairs: set[tuple[str, str]] = set()

    def profile(frame: FrameType, event: str, _: Any) -> None:
        file = _file(frame)
        if event != "call" or file is None or frame.f_code.co_name.startswith("<"):
            return  # a generator or a lambda that is passed down runs in the file that made it
        files.add(file)
        caller = frame.f_back
        while caller is not None and _file(caller) is None:
            caller = caller.f_back
        if caller is not None and not _same_object(caller, frame):
            pairs.add((_file(caller) or "", file))

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return files, pairs


def _file(frame: FrameType) -> str | None:
    path = Path(frame.f_code.co_filename)
    return path.relative_to(SOURCE).as_posix() if path.is_relative_to(SOURCE) else None


def _same_object(caller: FrameType, called: FrameType) -> bool:
    """True for a method that an object calls on itself: inherited methods belong to the layer of the class."""
    one, other = caller.f_locals.get("self"), called.f_locals.get("self")
    return one is not None and one is other


# Tests ---------------------------------------------------------------------------------------------------------------


def test_every_file_that_is_named_exists() -> None:
    missing = [name for name in _FILE.findall(PAGE) if not (SOURCE / name).exists() and not (ROOT / name).exists()]
    assert not missing


def test_every_layer_is_described() -> None:
    described = {name.strip("/").removesuffix(".py") for name in _FILE.findall(PAGE.split("## Five paths")[0])}
    named = {name.removeprefix("deciban.").replace(".", "/") for name in LAYERS}
    assert named <= described


@pytest.mark.parametrize("path", LISTS)
def test_a_path_never_goes_up_a_layer(path: str) -> None:
    for files in LISTS[path]:
        assert files == sorted(files, key=rank), "sorted by layer"


@pytest.mark.parametrize("path", LISTS)
def test_the_calls_go_through_the_files_of_the_path(path: str) -> None:
    calls = list(PATHS[path]())
    assert len(calls) == len(LISTS[path])
    for call, files in zip(calls, LISTS[path], strict=True):
        called, pairs = follow(call)
        named = {file for file in files if file.endswith(".py")} - {"_core/__init__.py"}
        assert named <= called, f"not called: {sorted(named - called)}"
        assert not [(a, b) for a, b in pairs if rank(a) > rank(b)], "calls that go up a layer"
