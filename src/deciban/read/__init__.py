"""Any dataframe, array or sparse matrix → numbers or coded columns."""

from deciban.read.column import MISSING_LABEL, Column, MissingLabel
from deciban.read.container import check_lengths, column_of, container_of, is_frame, split_target, without_target
from deciban.read.matrix import Matrix, read_matrix
from deciban.read.scalar import is_missing, plain, plain_keys
from deciban.read.table import Table, read_table
from deciban.read.target import Target, read_labels, read_target, read_weights
from deciban.read.variable import MISSING, Variable, distinct, distinct_texts, generated_names

__all__ = [
    "MISSING",
    "MISSING_LABEL",
    "Column",
    "Matrix",
    "MissingLabel",
    "Table",
    "Target",
    "Variable",
    "check_lengths",
    "column_of",
    "container_of",
    "distinct",
    "distinct_texts",
    "generated_names",
    "is_frame",
    "is_missing",
    "plain",
    "plain_keys",
    "read_labels",
    "read_matrix",
    "read_table",
    "read_target",
    "read_weights",
    "split_target",
    "without_target",
]
