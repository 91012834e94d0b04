"""Background knowledge from options and files: required and forbidden arrows, and tiers."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from deciban.nets import Knowledge

__all__ = ["ForbidOption", "KnowledgeOption", "RequireOption", "TierOption", "read_knowledge", "split_names"]

RequireOption = Annotated[
    list[str] | None,
    typer.Option("--require", metavar="ARROW", help="An arrow that must be in the graph, 'smoke -> lung'; repeatable."),
]
ForbidOption = Annotated[
    list[str] | None,
    typer.Option("--forbid", metavar="ARROW", help="An arrow that must not be in the graph; repeatable."),
]
TierOption = Annotated[
    list[str] | None,
    typer.Option(
        "--tier",
        metavar="COLUMNS",
        help="Columns such as 'age, sex' that no column of a later --tier causes; given twice or more, earliest first.",
    ),
]
KnowledgeOption = Annotated[
    Path | None,
    typer.Option(
        "--knowledge",
        metavar="FILE",
        help='The same in JSON: {"required": [["a", "b"]], "forbidden": [], "tiers": []}.',
    ),
]
_KEYS = ("required", "forbidden", "tiers")


def read_knowledge(
    require: list[str] | None, forbid: list[str] | None, tier: list[str] | None, file: Path | None
) -> Knowledge | None:
    """What the options and the file say together; None where they say nothing."""
    given: dict[str, list[Any]] = {
        "required": [_arrow(text, "--require") for text in require or ()],
        "forbidden": [_arrow(text, "--forbid") for text in forbid or ()],
        "tiers": [split_names(text) for text in tier or ()],
    }
    if len(tier or ()) == 1 and file is None:
        raise typer.BadParameter("one tier says nothing: give the later ones, too.", param_hint="--tier")
    if file is not None:
        given = {key: [*_read(file).get(key, ()), *held] for key, held in given.items()}
    if not any(given.values()):
        return None
    from deciban.nets import Knowledge

    return Knowledge(**given)


def split_names(text: str) -> list[str]:
    """The names of columns in a text.

    >>> split_names('age, marital status, "born, where"')
    ['age', 'marital status', 'born, where']
    """
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]


def _arrow(text: str, option: str) -> tuple[str, str]:
    ends = [end.strip() for end in re.split("->|→", text)]
    if len(ends) != 2 or not all(ends):
        raise typer.BadParameter(f"{text!r} is not an arrow such as 'smoke -> lung'.", param_hint=option)
    return ends[0], ends[1]


def _read(file: Path) -> dict[str, Iterable[Any]]:
    from deciban.errors import FileError
    from deciban.files import read_text
    from deciban.suggest import did_you_mean

    content = read_text(file)
    try:
        held = json.loads(content)
    except ValueError as error:
        raise FileError(f"{file} is not JSON: {error}") from None
    if not isinstance(held, dict) or not all(isinstance(value, list) for value in held.values()):
        raise FileError(f'{file} holds no knowledge: write {{"required": [["a", "b"]], "forbidden": [], "tiers": []}}.')
    for key in held:
        if key not in _KEYS:
            raise FileError(f"{file} has {key!r}, which is not part of knowledge.{did_you_mean(key, _KEYS)}")
    return held
