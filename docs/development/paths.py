"""How many files of deciban a call goes through, and which: `python docs/development/paths.py [--list]`.

A call is followed with `sys.setprofile`, so a file counts when one of its functions runs. What is imported and not run
does not count, and the C++ core counts as the one file `_core`, which has no function to follow.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import numpy as np

import deciban as db

SOURCE = Path(db.__file__).parent


def files_of(call: Callable[[], object]) -> set[str]:
    """The files of deciban whose functions run during a call, relative to the package."""
    files: set[str] = set()

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            files.add(frame.f_code.co_filename)

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return {Path(file).relative_to(SOURCE).as_posix() for file in files if Path(file).is_relative_to(SOURCE)}


def calls(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """The calls that are followed, each on a small table of numbers and categories with a few missing values."""
    import pandas as pd

    rng = np.random.default_rng(0)
    a = rng.random(400) < 0.5
    b = rng.random(400) < np.where(a, 0.8, 0.2)
    nodes = {"a": a, "b": b, "c": rng.random(400) < np.where(b, 0.8, 0.2)}
    X = pd.DataFrame({"size": rng.normal(size=400), "colour": np.where(a, "red", "green")})
    y = np.where(b, "yes", "no")
    file = folder / "table.csv"
    X.assign(target=y).to_csv(file, index=False)

    model = db.NaiveBayes()
    yield "NaiveBayes.fit", lambda: model.fit(X, y)
    yield "NaiveBayes.predict_proba", lambda: model.predict_proba(X)
    yield "NaiveBayes.explain", lambda: model.explain(X.iloc[[0]])
    net = db.BayesNet([("a", "b"), ("b", "c")])
    yield "BayesNet.fit", lambda: net.fit(nodes)
    yield "BayesNet.query", lambda: net.query("a", {"c": True})
    yield "discover", lambda: db.discover(nodes)
    from deciban.cli.main import main

    yield "deciban fit", lambda: main(["fit", str(file), "--target", "target", "-o", str(folder / "model.json")])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print the files as well")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, call in calls(Path(folder)):
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
                files = files_of(call)
            print(f"{name:26} {len(files):3} files")
            if chosen.list:
                print("".join(f"    {file}\n" for file in sorted(files)), end="")


if __name__ == "__main__":
    main()
