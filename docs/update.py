"""Update the examples on the pages: python docs/update.py [PAGE …].

A page shows the code of a snippet in a ``python`` block and its output in the ``text`` block that follows. This script
finds the snippet of each ``python`` block by its first line, runs it, and rewrites both blocks. It also runs the short
examples of the ``pycon`` blocks, in one namespace per page, and rewrites the outputs that differ. Without arguments it
updates the README and all pages, which takes some minutes.

A snippet runs in a folder of its own that holds the files of ``docs/data``, as a reader's folder would. It may import
the modules of ``docs/snippets/tables``.
"""

import doctest
import gzip
import os
import re
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from traceback import format_exception_only
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TABLES = ROOT / "docs" / "snippets" / "tables"
SNIPPETS = sorted((ROOT / "docs" / "snippets").rglob("*.py"))
PAGES = [
    ROOT / "README.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if not {"_build", "data"} & {*page.parts}),
]

_DOWNLOADED = ROOT.parent / "shared" / "data" / "tables" / "titanic.csv.gz"
"""The table that the snippets of ``docs/snippets/downloads`` read: it has no licence that lets the project copy it."""

_EXAMPLE = re.compile(r"^```python\n(?P<first>.*)\n(?:.*\n)*?```\n(?:\n```text\n(?:.*\n)*?```\n)?", re.MULTILINE)

_TRACEBACK = "Traceback (most recent call last):\n    ...\n"
_CONSOLE = re.compile(r"(?<=^```pycon\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)


def updated(page: str, snippets: dict[str, str], run: Callable[[str], str], kept: Collection[str] = ()) -> str:
    """Return a page with the examples as they are now; `snippets` maps the first line of each snippet to its code.

    The examples whose first lines are `kept` stay as they are.
    """

    def example(found: re.Match[str]) -> str:
        if found["first"] in kept:
            return found[0]
        code = snippets[found["first"]]
        output = run(code)
        return f"```python\n{code}```\n" + (f"\n```text\n{output}```\n" if output else "")

    return _EXAMPLE.sub(example, page)


def with_outputs(page: str) -> str:
    """Return a page with the outputs of its ``pycon`` blocks as they are now."""
    names: dict[str, Any] = {}

    def block(found: re.Match[str]) -> str:
        parts = doctest.DocTestParser().parse(found[0])
        return "".join(part if isinstance(part, str) else _shown(part, names) for part in parts)

    return _CONSOLE.sub(block, page)


def _shown(example: doctest.Example, names: dict[str, Any]) -> str:
    """An example with its output: that on the page if doctest accepts it, else what was printed."""
    first, *more = example.source.splitlines()
    lines = [f">>> {first}", *(f"... {line}".rstrip() for line in more)]
    printed = _printed(example.source, names)
    options = doctest.NORMALIZE_WHITESPACE | sum(flag for flag, is_set in example.options.items() if is_set)
    expected, got = (example.exc_msg, printed.removeprefix(_TRACEBACK)) if example.exc_msg else (example.want, printed)
    same = doctest.OutputChecker().check_output(expected, got, options)
    output = example.want if same else re.sub(r"^\s*$\n", "<BLANKLINE>\n", printed, flags=re.MULTILINE)
    return "\n".join(lines) + "\n" + output


def _printed(source: str, names: dict[str, Any]) -> str:
    with redirect_stdout(StringIO()) as out:
        try:
            exec(compile(source, "<page>", "single"), names)  # noqa: S102
        except Exception as error:
            return _TRACEBACK + "".join(format_exception_only(error))
    return out.getvalue()


@contextmanager
def readers_folder() -> Iterator[Path]:
    """A temporary folder with the data of the pages, as a reader has it who downloaded them."""
    with TemporaryDirectory() as folder:
        for file in (ROOT / "docs" / "data").glob("*"):
            if file.suffix not in {".py", ".md"}:
                Path(folder, file.name).symlink_to(file)
        yield Path(folder)


def is_download_missing(snippet: Path) -> bool:
    """Whether a snippet reads a table that readers download, and which is not beside the project."""
    return snippet.parent.name == "downloads" and not _DOWNLOADED.exists()


def add_download(snippet: Path, folder: Path) -> None:
    """Put the table that readers download into their folder, where the snippet reads one."""
    if snippet.parent.name == "downloads":
        (folder / _DOWNLOADED.stem).write_bytes(gzip.decompress(_DOWNLOADED.read_bytes()))


def run_alone(snippet: Path) -> str:
    """Return what a snippet prints in an interpreter of its own, with warnings as errors."""
    settings = {"PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(TABLES)}
    with readers_folder() as folder:
        add_download(snippet, folder)
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-W", "error", str(snippet)],
            cwd=folder,
            env=os.environ | settings,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            check=True,
            timeout=120,
        )
    return done.stdout


def main() -> None:
    """Update the pages that are named, or all."""
    files = {path.read_text(encoding="utf-8"): path for path in SNIPPETS}
    snippets = {code.split("\n", 1)[0]: code for code in files}
    kept = {code.split("\n", 1)[0] for code, path in files.items() if is_download_missing(path)}
    run = cache(lambda code: run_alone(files[code]))
    for page in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        text = updated(page.read_text(encoding="utf-8"), snippets, run, kept)
        with readers_folder() as folder, chdir(folder):
            text = with_outputs(text)
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
