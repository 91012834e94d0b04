"""All columns of a table, in memory or in files, as codes or as numbers: what ``discover`` and ``search`` read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from deciban.errors import ParameterError
from deciban.nets.data.kinds import Reads, kind_of, kind_of_table, notes_on_kinds
from deciban.nets.data.mapped import map_rows
from deciban.nets.data.rows import read_rows
from deciban.nets.data.samples import CodedSample, NumberSample, code_rows, number_rows
from deciban.nets.data.sources import is_not_in_memory, source_of

__all__ = ["Advice", "read_codes", "read_numbers", "read_variables"]


@dataclass(frozen=True)
class Advice:
    """What a user can do with columns that cannot be read, for error messages.

    `categories` is what to do to count all columns, `numbers` to read all of them as numbers, `labels` with a column
    of labels among numbers.
    """

    categories: str = ""
    numbers: str = ""
    labels: str = ""


def read_variables(
    data: Any,
    reads: Reads | None,
    advice: Advice,
    *,
    sample_weight: Any = None,
    missing: str = "error",
    choices: Sequence[str] = ("error",),
) -> CodedSample | NumberSample:
    """All columns of a table as categories or as numbers; where `reads` is None, as what they hold.

    Parameters
    ----------
    data
        A table, or rows in files: a name, a pattern, a folder, a list of names, or a source. Rows in files are read
        once; the sample then is in temporary files, which are mapped into memory. A sample stays as it is.
    reads
        "categories", "numbers", or None for what the columns hold; a mixture is an error then.
    advice
        Ends of error messages.
    sample_weight
        How many rows each row stands for; of files, the name of a column.
    missing, choices
        What to do with missing values, and what the caller allows.
    """
    if isinstance(data, CodedSample | NumberSample) and data.reads == reads:
        return data
    _check_state(reads, missing)
    options = {"sample_weight": sample_weight, "missing": missing, "choices": choices}
    if is_not_in_memory(data):
        mapped = map_rows(source_of(data), reads, **options)
        reads = reads or mapped.reads(advice.categories, advice.numbers)
        _check_state(reads, missing)
        return mapped.coded(advice.numbers) if reads == "categories" else mapped.numbers(advice.labels)
    rows = read_rows(data, **options)
    notes: tuple[str, ...] = ()
    if reads is None:
        kinds = {name: kind_of(column) for name, column in rows.columns.items()}
        reads = kind_of_table(kinds, advice.categories, advice.numbers)
        notes = notes_on_kinds(kinds, reads, advice.categories if reads == "numbers" else "")
    _check_state(reads, missing)
    if reads == "categories":
        return replace(code_rows(rows, numbers=advice.numbers), notes=notes)
    return replace(number_rows(rows, labels=advice.labels), notes=notes)


def read_codes(data: Any, *, numbers: str, **options: Any) -> CodedSample:
    """All columns of a table as codes; `numbers` says what to use for columns of numbers."""
    return read_variables(data, "categories", Advice(numbers=numbers), **options)  # type: ignore[return-value]


def read_numbers(data: Any, *, labels: str, **options: Any) -> NumberSample:
    """All columns of a table as numbers; `labels` says what to use for labels."""
    return read_variables(data, "numbers", Advice(labels=labels), **options)  # type: ignore[return-value]


def _check_state(reads: Reads | None, missing: str) -> None:
    if reads == "numbers" and missing == "state":
        raise ParameterError('missing="state" is for categories: among numbers a missing value cannot be a state.')
