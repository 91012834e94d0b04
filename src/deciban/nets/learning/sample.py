"""The rows that a net is fitted on: codes for the tables of a ``BayesNet``, numbers for a ``GaussianNet``.

A column belongs to the node of its name, and other columns are not read. A node without a column is an error, unless
it is hidden: its values were never observed, and only the number of its states is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from deciban.nets.data.rows import read_rows
from deciban.nets.data.samples import CodedSample, NumberSample, code_rows, number_rows
from deciban.nets.data.states import States
from deciban.nets.graphs.base import Node

__all__ = ["FitMissing", "read_number_sample", "read_sample"]

FitMissing = Literal["error", "skip", "em"]
"""What ``fit`` does with a missing value: refuse it, leave it out of the families that need it, or sum it out."""

_PART_CHOICES = ("error", "skip")
"""What can be done with the missing values of one batch of rows alone."""


def read_sample(
    data: Any,
    nodes: Sequence[Node],
    *,
    fixed: Mapping[Node, States],
    known: Mapping[Node, States],
    sample_weight: Any = None,
    missing: FitMissing = "error",
    is_part: bool = False,
) -> CodedSample:
    """Code a table; `known` are the states of a net that was fitted before, for a column without any value.

    `is_part`: the table is a batch of a larger one, which may have no states of a column.
    """
    rows = read_rows(
        data,
        nodes,
        sample_weight=sample_weight,
        missing=missing,
        choices=_PART_CHOICES if is_part else get_args(FitMissing),
        may_lack=fixed if missing == "em" else (),
        hint=' Add the column, or, for a hidden node, pass missing="em" and the number of its states in states.',
        is_part=is_part,
    )
    return code_rows(
        rows,
        nodes,
        fixed=fixed,
        known=known,
        numbers="use deciban.GaussianNet",
        has_declared=True,
        dtype=np.int32,
        is_part=is_part,
    )


def read_number_sample(
    data: Any,
    nodes: Sequence[Node],
    *,
    sample_weight: Any = None,
    missing: FitMissing = "error",
    may_lack: bool = False,
    is_part: bool = False,
    is_later: bool = False,
) -> NumberSample:
    """Read a table of numbers; where columns may lack, all values of a node without a column are missing.

    `is_part`: the table is a batch of a larger one. `is_later`: the rows come after a fit: text is the number that it
    spells.
    """
    options = {"sample_weight": sample_weight, "missing": missing, "may_lack": nodes if may_lack else ()}
    choices = _PART_CHOICES if is_part else get_args(FitMissing)
    rows = read_rows(data, nodes, choices=choices, only_nodes=may_lack, is_part=is_part, **options)
    if is_later:
        rows = replace(rows, columns={node: column.as_numbers() for node, column in rows.columns.items()})
    return number_rows(rows, nodes, labels="Use deciban.BayesNet for labels.", is_part=is_part)
