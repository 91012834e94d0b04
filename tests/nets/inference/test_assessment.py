"""Does the net describe the rows?"""

import numpy as np
import pytest

import deciban as db
from deciban.errors import UnseenStateError
from deciban.nets.inference.net_queries import assess

NET = db.BayesNet.from_tables(
    [("rain", "wet")],
    {"rain": ("no", "yes"), "wet": ("no", "yes")},
    {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.0, 1.0]]},
)
ROWS = {"rain": ["no", "no", "no", "yes"], "wet": ["no", "no", "yes", "yes"], "other": [1, 2, 3, 4]}


def assessed(rows):
    return assess(NET.network, rows, NET.marginals())


def test_bits_are_the_log_loss_of_the_rows():
    found = assessed(ROWS)
    expected = -np.log2([0.72, 0.72, 0.08, 0.2]).mean()
    assert (found.rows, found.missing, found.impossible) == (4, 0.0, 0)
    assert found.bits == pytest.approx(expected)
    columns = {name: ROWS[name] for name in ("rain", "wet")}
    assert found.bits == pytest.approx(-NET.log_likelihood(columns) / 4 / np.log(2))


def test_without_arrows_a_row_needs_the_entropies():
    h = -(0.25 * np.log2(0.25) + 0.75 * np.log2(0.75))
    assert assessed(ROWS).bits_alone == pytest.approx(h + 1.0)


def test_frequencies_beside_probabilities():
    first = assessed(ROWS).differences[0]
    assert (first.node, first.frequency) == ("wet", 0.5)
    assert abs(first.difference) == pytest.approx(0.5 - 0.28)


def test_missing_values_are_summed_out_and_impossible_rows_counted():
    found = assessed({"rain": ["yes", None, "yes", "yes"], "wet": ["no", "yes", None, "yes"]})
    assert found.impossible == 1 and found.missing == 0.25
    assert found.bits == pytest.approx(-np.log2([0.28, 0.2, 0.2]).mean())
    assert np.isinf(assessed({"rain": ["yes"], "wet": ["no"]}).bits)


def test_a_node_without_a_column_is_summed_out():
    found = assessed({"wet": ["yes", "no"]})
    assert found.missing == 0 and {one.node for one in found.differences} == {"wet"}


def test_an_unknown_state_is_named():
    with pytest.raises(UnseenStateError, match="maybe"):
        assessed({"rain": ["maybe"], "wet": ["no"]})
