"""States of a node: found, declared or fixed, and what becomes of them when samples join."""

import pytest

from deciban.errors import UnseenStateError
from deciban.nets.learning.sample import States


@pytest.mark.parametrize(
    ("one", "other", "joined"),
    [
        (States(("a", "c")), States(("b",)), States(("a", "b", "c"))),
        (States((0, 2)), States((1, 2)), States((0, 1, 2))),
        (States(("low", "high"), "declared"), States(("high", "mid")), States(("low", "high", "mid"), "declared")),
        (States(("high", "mid")), States(("low", "high"), "declared"), States(("low", "high", "mid"), "declared")),
        (States(("b", "a"), "fixed"), States(("a",)), States(("b", "a"), "fixed")),
        (States(("a",)), States(("b", "a"), "fixed"), States(("b", "a"), "fixed")),
        (States((1,)), States(("a",)), States((1, "a"))),
        (States(()), States(("a",)), States(("a",))),
    ],
)
def test_joining(one, other, joined):
    assert one.union(other, "x") == joined


def test_a_fixed_list_takes_no_new_states():
    with pytest.raises(UnseenStateError, match="'x' has no state 'c'; its states were fixed: 'b', 'a'"):
        States(("b", "a"), "fixed").union(States(("c",)), "x")
