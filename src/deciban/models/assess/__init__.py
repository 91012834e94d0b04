"""What a fitted model is worth, and what it is made of: honest predictions, strongest evidence, what TAN would gain."""

from deciban.models.assess.columns import ColumnFacts, describe_columns
from deciban.models.assess.dependence import Dependence, compare_with_tan
from deciban.models.assess.predictions import Predictions, predict_honestly
from deciban.models.assess.rows import ChosenRow, choose_rows, explain_rows
from deciban.models.assess.strongest import ValueEvidence, strongest_values

__all__ = [
    "ChosenRow",
    "ColumnFacts",
    "Dependence",
    "Predictions",
    "ValueEvidence",
    "choose_rows",
    "compare_with_tan",
    "describe_columns",
    "explain_rows",
    "predict_honestly",
    "strongest_values",
]
