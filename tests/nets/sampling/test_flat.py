"""The kernels that draw rows are their twins, for any net and seed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deciban.errors import NetworkError
from deciban.nets import DAG, Network
from deciban.nets.sampling import draw_forward, draw_gibbs, flat_net
from tests.nets.io.nets import networks
from tests.reference import sampling as twin

pytestmark = pytest.mark.usefixtures("each_instruction_set")

SEEDS = st.integers(0, 2**64 - 1)


@given(network=networks(), seed=SEEDS, data=st.data())
@settings(max_examples=60)
def test_forward_rows_are_those_of_the_twin(network, seed, data):
    net = flat_net(network)
    places = data.draw(st.sets(st.integers(0, len(network.nodes) - 1)))
    fixed = {place: data.draw(st.integers(0, network.cards[place] - 1)) for place in places}
    codes, logs = draw_forward(net, fixed, seed, 9, is_weighted=True)
    expected, weights = twin.draw_forward(net, fixed, seed, 9)
    assert codes.tolist() == expected
    np.testing.assert_array_equal(logs, weights)


@given(network=networks(), seed=SEEDS, data=st.data())
@settings(max_examples=60)
def test_gibbs_rows_are_those_of_the_twin(network, seed, data):
    net = flat_net(network)
    first, _ = draw_forward(net, {}, seed, 2)
    places = data.draw(st.sets(st.integers(0, len(network.nodes) - 1)))
    starts = first.T.copy()
    for place in places:
        starts[:, place] = starts[0, place]
    logs = draw_forward(net, dict(enumerate(starts[1].tolist())), 0, 1, is_weighted=True)[1]
    starts = starts if logs[0] > -700 else starts[:1]
    fixed = {place: int(starts[0, place]) for place in places}
    codes = draw_gibbs(net, fixed, starts, seed, 4, 2, 3)
    assert codes.tolist() == twin.draw_gibbs(net, fixed, starts.tolist(), seed, 4, 2, 3)


def test_the_numbers_of_a_stream_are_those_of_splitmix():
    # The first outputs of SplitMix64 with seed 1234567, as published with it (Vigna, splitmix64.c).
    known = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert [twin.random_word(1234567, at) for at in range(4)] == known


def test_a_state_that_cannot_be_is_never_drawn_whatever_the_rounding():
    rows = np.array([[0.1] * 10 + [0.0], [0.0] + [0.1] * 10])
    network = Network(DAG([("a", "b")]), {"a": (0, 1), "b": tuple(range(11))}, {"a": [0.5, 0.5], "b": rows})
    net = flat_net(network)
    ends = net.ends[2:].reshape(2, 11)
    assert ends[0, 9] == ends[0, 10] == ends[1, 10] == 1
    codes, _ = draw_forward(net, {}, 3, 100_000)
    assert rows[codes[0], codes[1]].min() > 0


def test_a_net_without_nodes_has_no_rows():
    with pytest.raises(NetworkError, match="without nodes"):
        flat_net(Network(DAG(), {}, {}))


def test_many_states_have_wider_codes():
    for states, kind in ((128, np.int8), (129, np.int16), (40_000, np.int32)):
        network = Network(DAG(nodes=["a"]), {"a": range(states)}, {"a": np.full(states, 1 / states)})
        codes, _ = draw_forward(flat_net(network), {}, 1, 1_000)
        assert codes.dtype == kind
        assert 0 <= codes.min() < codes.max() < states
