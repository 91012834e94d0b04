"""Make the notebooks of the tutorials: python docs/notebooks.py.

Each tutorial becomes one file in ``docs/notebooks``, in one piece: its prose, its programs with what they print, its
pictures, and the data that it reads. A program that imports a module of ``docs/snippets/tables`` uses what the cells
above have defined; where they have defined it anew since, the module's code comes again. A test says whether the
notebooks are up to date.
"""

from __future__ import annotations

import ast
import doctest
import json
import re
from base64 import b64encode
from bz2 import compress
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any

DOCS = Path(__file__).resolve().parent
FOLDER = DOCS / "notebooks"
TUTORIALS = [page for page in sorted((DOCS / "tutorials").glob("*.md")) if page.stem != "index"]
TABLES = {path.stem: path for path in (DOCS / "snippets" / "tables").glob("*.py")}
DOWNLOADS = {path.read_text(encoding="utf-8") for path in (DOCS / "snippets" / "downloads").glob("*.py")}
"""Programs that read what readers download: a notebook shows them, and does not run them."""

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)
_SAVE = re.compile(
    r"(?:Download \[[^]]*\]\([^)]*\), and )?[Ss]ave\s+this\s+as\s+\[[^]]*\]\([^)]*\)"
    r"(?:\s+in\s+(?:the\s+same|an\s+empty)\s+folder)?(?:;\s+the\s+examples\s+below\s+import\s+it)?\.\s*"
)
_PICTURE = re.compile(r"!\[([^]]*)\]\(([^)]*)\)(?:\{[^}]*\})?")
_LINK = re.compile(r"(?<!!)\[([^]]*)\]\((?!https?:|attachment:)[^)]*\)")
_IMPORT = re.compile(r"^from (\w+) import (.*)\n", re.MULTILINE)
_DOCSTRING = re.compile(r'\A"""(.*?)"""\n+', re.DOTALL)

Cell = dict[str, Any]


def make_notebook(page: Path) -> str:
    """The notebook of a page, as JSON."""
    text = page.read_text(encoding="utf-8")
    cells = list(_data_cells(text))
    end, defined = 0, _Defined()
    blocks = list(_BLOCK.finditer(text))
    for block, after in zip(blocks, [*blocks[1:], None], strict=True):
        cells += _prose(text[end : block.start()], page)
        end = block.end()
        kind, code = block.groups()
        if kind == "python" and code not in DOWNLOADS:
            has_output = after is not None and after[1] == "text" and not text[end : after.start()].strip()
            cells += defined.cells(code, after[2] if has_output else "")
        elif kind == "pycon":
            cells += [defined.add(source, _result(want)) for source, want in _examples(code)]
        elif kind != "text" or not (cells and cells[-1]["cell_type"] == "code"):
            cells += _prose(block[0], page)
    cells += _prose(text[end:], page)
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
        if cell["cell_type"] == "code":
            cell["execution_count"] = None
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    book = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


class _Defined:
    """What the cells so far have defined: the modules of tables, and each name with the cell that defined it last."""

    def __init__(self) -> None:
        self._last: dict[str, str] = {}

    def cells(self, code: str, output: str) -> list[Cell]:
        """The cells of a program; before them those of the modules that it needs."""
        before = []
        for found in _IMPORT.finditer(code):
            if found[1] in TABLES:
                module = TABLES[found[1]].read_text(encoding="utf-8")
                if any(self._last.get(name.strip()) != module for name in found[2].split(",")):
                    before += self.cells(module, "")
        return [*before, self.add(code, _stream(output))]

    def add(self, code: str, outputs: list[Cell]) -> Cell:
        """A cell without the imports of modules of tables."""
        for name in {node.id for node in ast.walk(ast.parse(code)) if _is_stored(node)}:
            self._last[name] = code
        source = _IMPORT.sub(lambda found: "" if found[1] in TABLES else found[0], code)
        if title := _DOCSTRING.match(source):
            comment = "".join(f"# {line}".rstrip() + "\n" for line in title[1].splitlines())
            source = f"{comment}\n{source[title.end() :]}"
        source = re.sub(r"\n{4,}", "\n\n\n", source)
        return {"cell_type": "code", "metadata": {}, "outputs": outputs, "source": _lines(source.strip())}


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _data_cells(text: str) -> Iterator[Cell]:
    """A cell for each data file that a program of the page reads; it writes the file."""
    programs = text + "".join(
        path.read_text(encoding="utf-8") for name, path in TABLES.items() if f"from {name} " in text
    )
    for path in sorted((DOCS / "data").glob("*.*")):
        if f'"{path.name}"' in "".join(re.findall(r"\w*read\w*\(.*", programs)):
            packed = "\n".join(wrap(b64encode(compress(path.read_bytes())).decode(), 100))
            source = (
                f"# The data of this tutorial: this cell writes {path.name} into the working directory.\n"
                "from base64 import b64decode\nfrom pathlib import Path\nfrom bz2 import decompress\n\n"
                f'packed = """\n{packed}\n"""\nPath("{path.name}").write_bytes(decompress(b64decode(packed)));'
            )
            hidden = {"jupyter": {"source_hidden": True}}
            yield {"cell_type": "code", "metadata": hidden, "outputs": [], "source": _lines(source)}


def _prose(text: str, page: Path) -> list[Cell]:
    """A cell of Markdown with its pictures inside; links to other pages are text, as they lead nowhere from here."""
    pictures = {}

    def attach(found: re.Match[str]) -> str:
        path = (page.parent / found[2]).resolve()
        pictures[path.name] = {"image/svg+xml": b64encode(path.read_bytes()).decode()}
        return f"![{found[1]}](attachment:{path.name})"

    text = _LINK.sub(r"\1", _PICTURE.sub(attach, _SAVE.sub("", text))).strip()
    if not text:
        return []
    cell: Cell = {"cell_type": "markdown", "metadata": {}, "source": _lines(text)}
    return [cell | ({"attachments": pictures} if pictures else {})]


def _examples(block: str) -> Iterator[tuple[str, str]]:
    """The examples of a console: those without a result belong to the next one with a result."""
    source = ""
    for example in doctest.DocTestParser().get_examples(block):
        source += example.source
        if example.want:
            yield source, example.want
            source = ""
    if source:
        yield source, ""


def _stream(output: str) -> list[Cell]:
    return [{"name": "stdout", "output_type": "stream", "text": _lines(output)}] if output else []


def _result(want: str) -> list[Cell]:
    text = want.replace("<BLANKLINE>", "").rstrip("\n")
    data = {"text/plain": _lines(text)}
    return [{"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"}] if want else []


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for page in TUTORIALS:
        (FOLDER / f"{page.stem}.ipynb").write_text(make_notebook(page), encoding="utf-8")
