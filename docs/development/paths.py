"""How many files of deciban a call goes through, and which: `python docs/development/paths.py [--list]`.

A call is followed with `sys.setprofile`, so a file counts when one of its functions runs. What is imported and not run
does not count, nor what other threads run, and the C++ core counts as the one file `_core`, which has no function to
follow.
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
from typing import NamedTuple

import deciban as db
from deciban.cli.main import app

SOURCE = Path(db.__file__).parent


class Step(NamedTuple):
    """A function that ran, and files relative to the package: its own, and that of the function that called it.

    `declared` is the file of the class that first declared the method; its own for what is no method.
    """

    function: str
    file: str
    declared: str
    caller: str | None


def follow(call: Callable[[], object]) -> list[Step]:
    """The functions of deciban that a call runs, with those that call them, in the order in which they run first.

    The call is made twice, and followed the second time: the first also runs what is imported.
    """
    steps: dict[Step, None] = {}

    def profile(frame: FrameType, event: str, _: object) -> None:
        file = _file(frame)
        if event == "call" and file is not None and frame.f_code.co_name != "<module>":
            caller = frame.f_back
            while caller is not None and _file(caller) is None:
                caller = caller.f_back
            called_by = None if caller is None else _file(caller)
            steps[Step(frame.f_code.co_qualname, file, _declared(frame) or file, called_by)] = None

    for profiler in (None, profile):
        output = io.TextIOWrapper(io.BytesIO())  # with a buffer, as a terminal has
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            sys.setprofile(profiler)
            try:
                call()
            except SystemExit:  # a command ends so
                pass
            finally:
                sys.setprofile(None)
    return list(steps)


def _file(frame: FrameType) -> str | None:
    path = Path(frame.f_code.co_filename)
    return path.relative_to(SOURCE).as_posix() if path.is_relative_to(SOURCE) else None


def _declared(frame: FrameType) -> str | None:
    """The file of the class that first declared a method: what is passed down is called by the name it has there."""
    name, bases = frame.f_code.co_name, type(frame.f_locals.get("self")).__mro__
    modules = [base.__module__ for base in bases if base.__module__.startswith("deciban.") and name in vars(base)]
    return modules[-1].removeprefix("deciban.").replace(".", "/") + ".py" if modules else None


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
    """The calls that are followed, by their names on the page: those of a beginner, on the lecture's table."""
    rows = [line.split(",") for line in WEATHER.splitlines()]
    table = dict(zip(rows[0], map(list, zip(*rows[1:], strict=True)), strict=True))
    file = folder / "weather.csv"
    file.write_text(WEATHER)

    model = db.NaiveBayes()
    yield "NaiveBayes.fit", lambda: model.fit(table, "play")
    yield "NaiveBayes.predict_proba", lambda: model.predict_proba(table)
    yield "NaiveBayes.explain", lambda: model.explain({"sky": "rain", "wind": "weak"})
    spam = db.TextNB()
    documents, labels = ["free prize now", "see you at home", "win now", "lunch at noon"] * 5, ["spam", "ham"] * 10
    yield "TextNB.fit", lambda: spam.fit(documents, labels)
    yield "TextNB.predict", lambda: spam.predict(documents)
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
            files = {step.file for step in follow(call)}
            print(f"{name:26} {len(files):3} files")
            if chosen.list:
                print("".join(f"    {file}\n" for file in sorted(files)), end="")


if __name__ == "__main__":
    main()
