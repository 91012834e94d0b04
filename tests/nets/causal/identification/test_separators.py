"""Every minimal separator is listed, once: a user must not miss the one he can measure."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from deciban.nets.causal.criteria import minimal_separators
from deciban.nets.graphs.bits import bits, components
from tests.nets.causal.models import subsets


@st.composite
def graphs(draw, most=7):
    count = draw(st.integers(2, most))
    beside = dict.fromkeys(range(count), 0)
    for a, b in itertools.combinations(range(count), 2):
        if draw(st.booleans()):
            beside[a] |= 1 << b
            beside[b] |= 1 << a
    return beside


def separates(beside, a, b, cut):
    left = ((1 << len(beside)) - 1) & ~cut
    return not any(part & a and part & b for part in components([beside[node] for node in range(len(beside))], left))


def by_trying(beside, a, b, allowed):
    """All sets, and of those that separate the ones no part of which does."""
    found = []
    for some in subsets(bits(allowed)):
        cut = sum(1 << node for node in some)
        if separates(beside, a, b, cut) and not any(one & cut == one for one in found):
            found.append(cut)
    return found


@given(graphs(), st.integers(0, 127), st.booleans())
def test_all_minimal_separators_are_found(beside, chosen, is_wide):
    everyone = (1 << len(beside)) - 1
    a, b = 1, 1 << (len(beside) - 1)
    if is_wide and len(beside) > 4:
        a |= 2
    found = list(minimal_separators(beside, a, b, chosen & everyone & ~a & ~b))
    assert len(found) == len(set(found))
    assert set(found) == set(by_trying(beside, a, b, chosen & everyone & ~a & ~b))
