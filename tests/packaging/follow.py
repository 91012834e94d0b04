"""Follow the pages where only a wheel is installed: ``python -m tests.packaging.follow``, after ``make wheel``.

The wheel of dist/ that fits this Python goes into a clean virtual environment, with the packages that pages tell their
readers to install. Every snippet and every console of the README and of the pages then runs there, in a folder that
holds nothing but the data files of the pages, and must print what the page shows.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename

from docs.update import PAGES, ROOT, TABLES, add_download, is_download_missing, readers_folder
from tests.docs.test_consoles import consoles
from tests.docs.test_snippets import RUN_HERE, examples

PACKAGES = ["pandas", "polars", "duckdb", "httpx", "onnxruntime", "dask"]
"""What pages name, beside the extras of deciban."""
EXTRAS = "plot,nets,sql,onnx,serve,excel,widget"

_CONSOLE = """
import doctest, pathlib, sys
text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
test = doctest.DocTestParser().get_doctest(text, {}, sys.argv[2], sys.argv[2], 0)
result = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
sys.exit(result.failed > 0)
"""


def environment(wheel: Path, folder: Path) -> Path:
    """A clean virtual environment with the wheel; returns its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", f"{wheel}[{EXTRAS}]", *PACKAGES],
        check=True,
    )
    return python


def run(python: Path, *arguments: str, snippet: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the interpreter in a folder as a reader has it."""
    with readers_folder() as folder:
        if snippet is not None:
            add_download(snippet, folder)
        settings = {"PYTHONUTF8": "1", "PYTHONPATH": str(TABLES), "PATH": str(python.parent)}
        return subprocess.run(
            [python, *arguments], cwd=folder, env=settings, capture_output=True, encoding="utf-8", check=False
        )


def snippet_faults(python: Path) -> list[str]:
    """The snippets that fail, or print something else than their page."""
    shown = {code: output for page in PAGES for code, output in examples(page).items()}
    faults = []
    for snippet in RUN_HERE:
        if is_download_missing(snippet):
            continue
        done = run(python, "-W", "error", str(snippet), snippet=snippet)
        if done.returncode or done.stdout != shown.get(snippet.read_text(encoding="utf-8"), done.stdout):
            last = done.stderr.strip().splitlines()[-1:] or ["prints something else"]
            faults.append(f"{snippet.relative_to(ROOT)}: {last[0]}")
    return faults


def console_faults(python: Path, folder: Path) -> list[str]:
    """The pages whose consoles fail."""
    faults = []
    for page in PAGES:
        text = consoles(page.read_text(encoding="utf-8"))
        if ">>>" not in text:
            continue
        file = folder / "page.txt"
        file.write_text(text, encoding="utf-8")
        done = run(python, "-c", _CONSOLE, str(file), page.name)
        faults += [f"{page.relative_to(ROOT)}:\n{done.stdout}{done.stderr}"] if done.returncode else []
    return faults


def fitting_wheel() -> Path:
    """The wheel of dist/ that this Python can install."""
    tags = set(sys_tags())
    found = [wheel for wheel in (ROOT / "dist").glob("*.whl") if parse_wheel_filename(wheel.name)[3] & tags]
    if not found:
        raise SystemExit("dist/ has no wheel for this Python: make wheel")
    return found[0]


def main() -> int:
    """Follow all pages; returns the number of faults."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = environment(fitting_wheel(), folder / "environment")
        faults = snippet_faults(python) + console_faults(python, folder)
    print(*faults, f"{len(RUN_HERE)} snippets and the consoles of {len(PAGES)} pages: {len(faults)} faults", sep="\n")
    return len(faults)


if __name__ == "__main__":
    sys.exit(main() > 0)
