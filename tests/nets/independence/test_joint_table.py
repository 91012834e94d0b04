"""Exact answers must be exact: they are what the tests on data are measured by."""

from fractions import Fraction

from hypothesis import given

from deciban.nets import JointTable
from tests.nets.distributions import tables


def test_a_difference_however_small_is_seen():
    tiny = Fraction(1, 10**30)
    cells = {
        (0, 0): Fraction(1, 4) + tiny,
        (0, 1): Fraction(1, 4) - tiny,
        (1, 0): Fraction(1, 4),
        (1, 1): Fraction(1, 4),
    }
    assert not JointTable(cells).independent(0, 1)
    assert JointTable({key: float(number) for key, number in cells.items()}).independent(0, 1)


def test_counts_do_as_well_as_probabilities():
    assert JointTable([[1, 2], [2, 4]], ["a", "b"]).independent("a", "b")
    assert not JointTable([[1, 2], [2, 5]], ["a", "b"]).independent("a", "b")
    assert repr(JointTable([[1, 2], [2, 0]], ["a", "b"])) == "JointTable(3 outcomes of a, b)"


@given(tables())
def test_a_set_is_its_members_one_after_another(table):
    """Decomposition, weak union and contraction together: X ⊥ YW | Z is X ⊥ Y | Z and X ⊥ W | ZY."""
    both = table.independent(0, [1, 2], 3)
    assert both == (table.independent(0, 1, 3) and table.independent(0, 2, [1, 3]))
