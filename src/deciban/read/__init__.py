"""Any dataframe, array or sparse matrix → numbers or coded columns."""

from deciban.read.column import Column
from deciban.read.frame import is_frame
from deciban.read.matrix import Matrix, read_matrix
from deciban.read.table import Table, read_table
from deciban.read.target import read_labels, read_target
from deciban.read.variable import MISSING, Variable, distinct
from deciban.read.weights import read_weights

__all__ = [
    "MISSING",
    "Column",
    "Matrix",
    "Table",
    "Variable",
    "distinct",
    "is_frame",
    "read_labels",
    "read_matrix",
    "read_table",
    "read_target",
    "read_weights",
]
