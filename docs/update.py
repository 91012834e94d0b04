"""Update the examples on the pages: python docs/update.py.

A page shows the code of a snippet in a ``python`` block and its output in the ``text`` block that follows. This script
finds the snippet of each ``python`` block by its first line, runs it, and rewrites both blocks.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

_EXAMPLE = re.compile(r"^```python\n(?P<first>.*)\n(?:.*\n)*?```\n(?:\n```text\n(?:.*\n)*?```\n)?", re.MULTILINE)


def updated(page: str, snippets: dict[str, str], run: Callable[[str], str]) -> str:
    """Return a page with the examples as they are now; `snippets` maps the first line of each snippet to its code."""

    def example(found: re.Match[str]) -> str:
        code = snippets[found["first"]]
        output = run(code)
        return f"```python\n{code}```\n" + (f"\n```text\n{output}```\n" if output else "")

    return _EXAMPLE.sub(example, page)


def main() -> None:
    """Update the README and all pages."""
    files = {path.read_text(encoding="utf-8"): path for path in (ROOT / "docs" / "snippets").glob("*.py")}

    @cache
    def run(code: str) -> str:
        command = [sys.executable, "-W", "error", str(files[code])]
        settings = os.environ | {"PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.check_output(command, cwd=ROOT, env=settings, encoding="utf-8")  # noqa: S603

    snippets = {code.split("\n", 1)[0]: code for code in files}
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        page.write_text(updated(page.read_text(encoding="utf-8"), snippets, run), encoding="utf-8")


if __name__ == "__main__":
    main()
