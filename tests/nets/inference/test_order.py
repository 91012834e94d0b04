"""What an answer takes is known before it is asked for: a wrong number is a machine that swaps."""

import itertools

import pytest
from hypothesis import given

from deciban.errors import TooLargeError
from deciban.nets.inference.elimination import Cost, check_size, eliminate, plan, sliced
from tests.nets.inference.brute import nets


@given(nets())
def test_the_cost_is_that_of_the_products(net):
    network = net.network
    laid = plan(network.families, network.cards, range(len(network.nodes)))
    steps = eliminate(sliced(network.factors, network.families, {}), laid.order).steps
    assert [step.node for step in steps] == list(laid.order)
    assert laid.cells == sum(step.product.table.size for step in steps)
    assert laid.largest == max(step.product.table.size for step in steps)
    assert laid.widest in [step.product.scope for step in steps if step.product.table.size == laid.largest]


def test_a_chain_is_eliminated_from_its_ends():
    scopes = [(place, place + 1) for place in range(9)]
    assert plan(scopes, (2,) * 10, range(10)).cost("abcdefghij") == Cost(10, 4, 38, 8 * 38, ("a", "b"))


def test_a_chordal_graph_gets_no_new_neighbour():
    """A tree of cliques has an order without fill, and min-fill finds it."""
    scopes = [(0, 1, 2), (1, 2, 3), (2, 3, 4), (2, 5), (5, 6)]
    assert plan(scopes, (2,) * 7, range(7)).largest == 8


def test_groups_come_one_after_another():
    scopes = [(a, b) for a, b in itertools.pairwise(range(6))]
    laid = plan(scopes, (2,) * 6, [1, 3], [0, 5])
    assert set(laid.order[:2]) == {1, 3} and set(laid.order[2:]) == {0, 5} and laid.left == 4


def test_too_large_is_said_before_memory_is_taken():
    with pytest.raises(TooLargeError, match=r"needs 1,099,511,627,776 table entries, 16 TiB, and the limit is 4"):
        check_size(1 << 40, "the joint table")
    check_size(1 << 10, "nothing much")
