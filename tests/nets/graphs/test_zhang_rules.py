"""Rules that contradict each other must say so, and never hide it; what is open must stay open."""

from deciban.nets.graphs.bits import transposed
from deciban.nets.graphs.orientation import Marks, beyond, close_marks, contradictions

EDGES = [(0, 2), (1, 2), (2, 3)]


def marks_of(count, edges, open_triples=()):
    adjacent = [0] * count
    for a, b in edges:
        adjacent[a] |= 1 << b
        adjacent[b] |= 1 << a
    return Marks.none(adjacent, open_triples)


def test_a_common_effect_directs_what_comes_after_it():
    marks = marks_of(4, EDGES)
    assert marks.put(0, 2, True, "R0") and marks.put(1, 2, True, "R0") and not marks.put(1, 2, False, "R0")
    close_marks(marks, lambda *_: None)
    assert marks.parents == [0, 0, 0, 0b100] and marks.reasons[2, 3] == marks.reasons[3, 2] == "R1"
    assert not marks.disputes and marks.heads[2] == 0b11


def test_open_triples_direct_nothing():
    marks = marks_of(4, EDGES, [(0, 2, 3), (1, 2, 3)])
    marks.put(0, 2, True, "R0")
    marks.put(1, 2, True, "R0")
    close_marks(marks, lambda *_: None)
    assert marks.circles(2) == 0b1000 and marks.circles(3) == 0b100


def test_two_marks_asked_for_leave_the_end_open():
    # 0 *→ 1 o—* 2 asks for a tail at 1; 3 *→ 2 o—* 1 asks for an arrowhead there.
    marks = marks_of(4, [(0, 1), (1, 2), (2, 3)])
    marks.put(0, 1, True, "R0")
    marks.put(3, 2, True, "R0")
    close_marks(marks, lambda *_: None)
    assert marks.disputes.keys() == {(1, 2), (2, 1)} and marks.circles(1) == 0b100 and marks.circles(2) == 0b10


def test_a_mark_that_is_known_is_kept():
    marks = marks_of(3, [(0, 1), (1, 2)])
    marks.put(0, 1, True, "R0")
    marks.put(1, 2, False, "knowledge")
    close_marks(marks, lambda *_: None)
    assert marks.tails[2] == 0b10 and marks.disputes == {(1, 2): "R1"}


def test_arrows_against_arrows_are_found():
    marks = marks_of(3, [(0, 1), (1, 2), (0, 2)])
    for a, b in ((0, 1), (1, 2)):
        marks.put(a, b, True, "R0")
        marks.put(b, a, False, "R0")
    assert contradictions(marks) == []
    marks.put(2, 0, True, "R0")
    assert contradictions(marks) == [(0, 2)]


def test_discriminating_paths_have_their_ends_beyond():
    # 3 *→ 2 ↔ 1, with 1 and 2 parents of 0 and 3 apart from it.
    heads = [0b110, 0b100, 0b1010, 0]
    adjacent = [a | b for a, b in zip(heads, transposed(heads), strict=True)]
    assert beyond(heads, 0b110, ~adjacent[0] & ~1, 1, 0) == 0b1000
    assert beyond(heads, 0b010, ~adjacent[0] & ~1, 1, 0) == 0
