"""Counts of sets of columns: adding, taking out, ageing, and which states stay."""

import numpy as np
import pytest

from deciban.errors import ColumnMismatchError, NegativeCountError
from deciban.read import Variable
from deciban.tallies import Counts, Crossed
from deciban.tallies.crossed import sets_of_size

SKY, WIND = Variable.of("sky", ["rain", "sun"]), Variable.of_codes("wind", 3)


def crossed(pairs, sky=SKY):
    """One class; pairs of places."""
    cells = np.zeros((len(sky), 3, 1), dtype=np.int64)
    for a, b in pairs:
        cells[a, b] += 1
    counts = (Counts(sky, cells.sum(axis=1).T), Counts(WIND, cells.sum(axis=0).T))
    return Crossed(counts, sets_of_size(2, 2), cells.reshape(-1, 1))


def test_states_that_only_one_part_has_are_added():
    other = Variable.of("sky", ["fog", "sun"])
    both = crossed([(0, 0), (1, 2)]) + crossed([(0, 1), (1, 2)], other)
    assert both.variables[0].labels.tolist() == ["fog", "rain", "sun"]
    assert both.table(0)[:, :, 0].tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 2]]


def test_labels_that_nobody_has_any_more_go_and_bins_stay():
    left = crossed([(0, 0), (1, 2)]) - crossed([(1, 2)])
    assert left.variables[0].labels.tolist() == ["rain"]
    assert left.table(0)[:, :, 0].tolist() == [[1, 0, 0]]


def test_what_was_never_counted_cannot_be_taken_out():
    with pytest.raises(NegativeCountError, match=r"'sky' = 'sun' in class 0 would be -1"):
        crossed([(0, 0)]) - crossed([(1, 0)])
    with pytest.raises(NegativeCountError, match="a combination of values"):
        crossed([(0, 0), (1, 1)]) - crossed([(0, 1), (1, 0)])


def test_scaling_and_more_classes():
    part = crossed([(0, 0), (1, 2)])
    assert part.scaled(0.5).cells.sum() == 1.0
    wider = part.reclassed(np.array([1]), 2)
    assert wider.cells[:, 0].sum() == 0 and wider.cells[:, 1].sum() == 2


def test_other_sets_are_not_joined():
    part = crossed([(0, 0)])
    with pytest.raises(ColumnMismatchError):
        part + Crossed(part.counts, np.array([[0, -1]]), np.array([[1], [0]]))
    assert (part == 3) is False
