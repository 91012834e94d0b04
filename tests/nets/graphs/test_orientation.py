"""Rules over masks, where the graphs are too wrong to be values."""

from hypothesis import given
from hypothesis import strategies as st

from deciban.nets.graphs.bits import bits, find_cycle, transposed
from deciban.nets.graphs.orientation import class_of, close, extend
from tests.nets.named_graphs import dags


@st.composite
def partly(draw):
    """Any graph with arrows and lines, consistent or not."""
    count = draw(st.integers(1, 6))
    up, free = [0] * count, [0] * count
    for b in range(count):
        for a in range(b):
            kind = draw(st.integers(0, 3))
            if kind == 1:
                up[b] |= 1 << a
            elif kind == 2:
                up[a] |= 1 << b
            elif kind == 3:
                free[a] |= 1 << b
                free[b] |= 1 << a
    return up, free


def edges(up, free):
    down = transposed(up)
    return [a | b | c for a, b, c in zip(up, down, free, strict=True)]


@given(partly())
def test_closing_ends_and_keeps_what_was_there(graph):
    up, free = close(*graph)
    assert edges(up, free) == edges(*graph)
    assert all(new & old == old for new, old in zip(up, graph[0], strict=True))
    assert close(up, free) == (up, free)


@given(partly())
def test_an_extension_is_a_dag_with_no_v_structure_more(graph):
    found = extend(*graph)
    if found is not None:
        assert not find_cycle(found) and edges(found, [0] * len(found)) == edges(*graph)
        beside = edges(*graph)
        for node, mask in enumerate(found):
            fresh = mask & ~graph[0][node]
            assert not any(mask & ~beside[parent] & ~(1 << parent) for parent in bits(fresh))


@given(dags())
def test_a_class_extends_to_itself(g):
    up, free = class_of(g._parent_masks)
    assert class_of(extend(up, free)) == (up, free)
