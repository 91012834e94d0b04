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

import deciban as db
from deciban.cli.main import app

SOURCE = Path(db.__file__).parent


def files_of(call: Callable[[], object]) -> set[str]:
    """The files of deciban whose functions run during a call, relative to the package.

    The call is made twice, and followed the second time: the first also runs what is imported.
    """
    files: set[str] = set()

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            files.add(frame.f_code.co_filename)

    for follow in (None, profile):
        sys.setprofile(follow)
        try:
            call()
        except SystemExit:  # a command ends so
            pass
        finally:
            sys.setprofile(None)
    return {Path(file).relative_to(SOURCE).as_posix() for file in files if Path(file).is_relative_to(SOURCE)}


WEATHER = """sky,temperature,humidity,wind,play
sunny,hot,high,weak,no
sunny,hot,high,strong,no
overcast,hot,high,weak,yes
rain,mild,high,weak,yes
rain,cool,normal,weak,yes
rain,cool,normal,strong,no
overcast,cool,normal,strong,yes
sunny,mild,high,weak,no
sunny,cool,normal,weak,yes
rain,mild,normal,weak,yes
sunny,mild,normal,strong,yes
overcast,mild,high,strong,yes
overcast,hot,normal,weak,yes
rain,mild,high,strong,no
"""
"""The table of the lecture (Mitchell, Table 3.2)."""


def calls(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """The calls that are followed: those of a beginner, on the lecture's table."""
    rows = [line.split(",") for line in WEATHER.splitlines()]
    table = dict(zip(rows[0], map(list, zip(*rows[1:], strict=True)), strict=True))
    file = folder / "weather.csv"
    file.write_text(WEATHER)

    model = db.NaiveBayes()
    yield "NaiveBayes.fit", lambda: model.fit(table, "play")
    yield "NaiveBayes.predict_proba", lambda: model.predict_proba(table)
    yield "NaiveBayes.explain", lambda: model.explain({"sky": "rain", "wind": "weak"})
    net = db.BayesNet([("play", "sky"), ("play", "wind")])
    yield "BayesNet.fit", lambda: net.fit(table)
    yield "BayesNet.query", lambda: net.query("play", {"sky": "rain"})
    yield "discover", lambda: db.discover(table)
    yield "deciban fit", lambda: app(["fit", str(file), "--target", "play", "-o", str(folder / "play.deciban")])


def main() -> None:
    """Print the number of files of each call."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print the files as well")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, call in calls(Path(folder)):
            output = io.TextIOWrapper(io.BytesIO())  # with a buffer, as a terminal has
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                files = files_of(call)
            print(f"{name:26} {len(files):3} files")
            if chosen.list:
                print("".join(f"    {file}\n" for file in sorted(files)), end="")


if __name__ == "__main__":
    main()
