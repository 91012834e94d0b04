"""From a table and the arguments of ``discover`` to a test on data."""

from __future__ import annotations

from typing import Any, Literal, get_args

from deciban.choices import check_choice
from deciban.errors import ParameterError
from deciban.nets.data.kinds import are_numbers
from deciban.nets.data.rows import complete
from deciban.nets.tests.independence import TESTS, FisherZ, GSquared, read_test
from deciban.read import Table, read_table, read_weights

__all__ = ["Missing", "ready_test"]

Missing = Literal["error", "skip", "drop", "state"]


def ready_test(source: Any, test: Any, alpha: float, sample_weight: Any, missing: Missing) -> Any:
    """The test on the rows of a table."""
    check_choice("missing", missing, get_args(Missing))
    if isinstance(test, str):
        check_choice("test", test, ("auto", *TESTS), other=", or a test such as GSquared()")
    table = source if isinstance(source, Table) else read_table(source)
    chosen = _chosen(table) if isinstance(test, str) and test == "auto" else read_test(test)
    if missing == "skip":
        return chosen.on(table, sample_weight, alpha)
    if missing == "state" and isinstance(chosen, FisherZ):
        raise ParameterError('missing="state" is for categories: Fisher\'s z takes "error", "skip" and "drop".')
    weights = read_weights(sample_weight, len(table))
    rows = complete(table, weights, missing, ' missing="skip" to leave them out of one test at a time,')
    return chosen.on(rows.table, rows.weights, alpha)


def _chosen(table: Table) -> GSquared | FisherZ:
    """Fisher's z for a table of numbers, G² for one of categories; a mixture is an error."""
    return FisherZ() if are_numbers(table.columns, 'test="g2"', 'test="fisher_z"') else GSquared()
