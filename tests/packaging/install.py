"""Install deciban in place, as the Makefile does, into the environment of the interpreter that runs this.

    python -m tests.packaging.install                                deciban; its core is compiled on all processors
    python -m tests.packaging.install --group test --extras plot sql only what the group and the extras need

pip alone is silent for the minute in which the core is compiled, or prints hundreds of lines. Here it prints a line for
each part of the work, and everything where something fails. Only the standard library is used, as nothing else is
installed yet. The files are not compiled to bytecode: Python does that for those that are imported, which are a tenth.
"""

import argparse
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PIP = [sys.executable, "-m", "pip", "install", "--no-compile"]
# Warnings are errors where deciban itself is worked on.
EDITABLE = [
    "--verbose",
    "--no-build-isolation",
    "--config-settings=cmake.define.DECIBAN_DEVELOPER=ON",
    "--editable",
    ".",
]
PARTS = 8
"""How often the compiler is reported on."""

_STEP = re.compile(r"\s*\[(\d+)/(\d+)\] ")
_DOWNLOAD = re.compile(r"\s*Downloading (\S+) \((.*)\)")
_LARGE = re.compile(r"\d\d(\.\d)? MB")


def requirements(extras: Iterable[str]) -> list[str]:
    """What the extras need, as pyproject.toml has it."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    return [requirement for name in extras for requirement in listed[name]]


def progress(lines: Iterable[str]) -> Iterator[str]:
    """What is worth saying of pip's verbose output: large downloads, the installation, each part of the compilation."""
    reported = 0
    for line in lines:
        if (found := _DOWNLOAD.match(line)) and _LARGE.match(found[2]):
            yield f"downloading {found[1].split('-')[0]} ({found[2]})"
        elif line.startswith("Building wheels for collected packages"):
            yield "compiling the C++ core, on all processors"
        elif found := _STEP.match(line):
            done, steps = int(found[1]), int(found[2])
            if done * PARTS // steps > reported:
                reported = done * PARTS // steps
                yield f"compiled {done} of {steps} files"
        elif line.startswith("Installing collected packages: "):
            yield f"installing {line.count(',') + 1} packages"


def run(command: list[str]) -> int:
    """Run a command and say how it goes; where it fails, show all that it printed."""
    started, lines = time.monotonic(), []

    def kept(output: Iterable[str]) -> Iterator[str]:
        for line in output:
            lines.append(line)
            yield line

    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, cwd=ROOT, encoding="utf-8", errors="replace", **both) as running:
        for news in progress(kept(running.stdout)):
            print(f"  {time.monotonic() - started:3.0f} s  {news}", flush=True)
    if running.returncode:
        print(*lines, sep="", end="", file=sys.stderr)
        print(
            "This was not installed; the reason is above. deciban needs a compiler for C++20. "
            "Its warnings are errors here, but not for `pip install .`.",
            file=sys.stderr,
        )
    return running.returncode


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--extras", nargs="+", default=(), help="install only what these extras need")
    parser.add_argument("--group", action="append", default=[], help="install only this group")
    parser.add_argument("--build-dir", help="where to compile; build/ and the platform otherwise")
    options = parser.parse_args(arguments)
    folder = [f"--config-settings=build-dir={options.build_dir}"] if options.build_dir else []
    groups = [argument for name in options.group for argument in ("--group", name)]
    wanted = [*groups, *requirements(options.extras)]
    return run([*PIP, *(wanted or [*folder, *EDITABLE])])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
