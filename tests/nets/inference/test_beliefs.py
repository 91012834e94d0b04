"""The picture of a net is what most people will see of it: it must show the numbers, small, whatever the net."""

import re
from xml.etree import ElementTree as ET

import matplotlib.pyplot as plt
import pytest

import deciban as db
from deciban.errors import ImpossibleEvidenceError
from deciban.nets import MixedNetwork, Regressions
from deciban.nets.graphs.scene import COLOURS
from deciban.nets.inference.beliefs import Beliefs, is_quick
from deciban.nets.inference.evidence import read_mixed_findings
from tests.nets.inference.brute import asia

SEEN = {"asia": "yes", "xray": "yes"}


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def words(svg):
    return [element.text for element in ET.fromstring(svg).iter() if element.tag.endswith("text")]  # noqa: S314  our own


def test_beliefs_are_the_marginals_before_and_after():
    net = asia()
    held = net.beliefs(SEEN)
    assert dict(held) == net.marginals(SEEN) and held.prior == net.marginals() and held.evidence == SEEN
    assert held.change("lung") == pytest.approx(0.3714871547 - 0.055, abs=1e-9)
    assert repr(held) == "Beliefs(8 nodes, asia=yes, xray=yes)"
    assert str(held).splitlines()[:2] == ["asia    = yes", "tub     yes 0.010 → 0.338   no 0.990 → 0.662"]
    assert str(net.beliefs()).splitlines()[1] == "tub     yes 0.010   no 0.990"
    with pytest.raises(ImpossibleEvidenceError):
        net.beliefs({"tub": "yes", "either": "no"})


def test_the_picture_shows_nodes_states_numbers_and_arrows():
    net = asia()
    svg = net.beliefs(SEEN)._repr_html_()
    shown = words(svg)
    assert set(net.nodes) <= set(shown) and {"0.371", "0.629", "1.000"} <= set(shown)
    assert svg.count("<polyline") == 8 and svg.count(f'fill="{COLOURS["highlight"]}"') == 2, (
        "observed nodes are highlighted"
    )
    assert svg.count('stroke="#8a8a8a"') == 16 and "#8a8a8a" not in net.beliefs().to_svg(), "hollow bars: before"
    assert COLOURS["uncertain"] in net.beliefs(likelihoods={"smoke": [0.9, 0.1]}).to_svg()
    assert net._repr_html_() == net.beliefs().to_svg()


def test_bars_are_as_long_as_beliefs():
    net = db.BayesNet.from_tables(db.DAG(nodes=["coin"]), {"coin": ("head", "tail")}, {"coin": [0.25, 0.75]})
    bars = re.findall(r'width="([\d.]+)" height="7"', net.beliefs().to_svg())
    assert [float(width) for width in bars] == [18.0, 54.0]


def test_arrows_go_down_from_box_to_box():
    svg = asia().beliefs().to_svg()
    for points in re.findall(r'polyline points="([^"]+)"', svg):
        heights = [float(point.split(",")[1]) for point in points.split()]
        assert heights == sorted(heights)


def test_it_plots():
    net = asia()
    axes = net.plot(SEEN)
    assert "0.371" in {text.get_text() for text in axes.texts}
    assert net.beliefs(SEEN).plot(axes) is axes
    axes.figure.canvas.draw()


def test_a_net_without_tables_shows_its_graph():
    net = db.BayesNet([("rain", "wet")])
    assert words(net._repr_html_()) == ["rain", "wet"] and net._repr_html_().count("<polyline") == 1
    assert {text.get_text() for text in net.plot().texts} >= {"rain", "wet"}


def large(count, states=2):
    nodes = [f"x{number}" for number in range(count)]
    dag = db.DAG([(nodes[(number - 1) // 2], nodes[number]) for number in range(1, count)], nodes)
    tables = {node: [[1 / states] * states] * states for node in nodes} | {"x0": [1 / states] * states}
    return db.BayesNet.from_tables(dag, dict.fromkeys(nodes, range(states)), tables)


def test_large_nets_stay_small_and_say_so():
    net = large(300)
    assert words(net._repr_html_())[-1] == "40 of 300 nodes: x1 and the nearest"
    svg = net.beliefs({"x7": 1}).to_svg()
    assert words(svg)[-1] == "40 of 300 nodes: the observed ones, and those whose probabilities changed most"
    assert "x7" in words(svg) and len(svg) < 40_000
    assert str(net.beliefs()).endswith("… and 260 more nodes")
    assert words(db.BayesNet(net.dag)._repr_html_())[-1].startswith("40 of 300")
    empty = db.BayesNet(db.DAG(nodes=range(50)))
    assert words(empty._repr_html_())[-1].startswith("40 of 50")


def test_many_states_are_cut():
    held = large(3, states=9).beliefs()
    assert "… 3 more" in words(held.to_svg()) and str(held).splitlines()[0].endswith("…")


def test_a_net_that_is_too_large_shows_its_graph(monkeypatch):
    monkeypatch.setattr("deciban.nets.inference.beliefs._QUICK", 3)
    assert words(asia()._repr_html_()) == list(asia().nodes)


def test_names_are_cut_and_escaped():
    net = db.BayesNet([("<script>", "a name that is much too long for a box")])
    assert "<script>" not in net._repr_html_() and words(net._repr_html_()) == ["<script>", "a name that is mu…"]
    assert isinstance(asia().beliefs(), Beliefs)


def with_numbers():
    return MixedNetwork(
        db.DAG([("sex", "height"), ("height", "weight")]),
        {"sex": ("f", "m")},
        {"sex": [0.5, 0.5]},
        {
            "height": Regressions(("sex",), (), [165.0, 178.0], [[], []], [20.0, 20.0]),
            "weight": Regressions((), ("height",), -90.0, [0.9], 60.0),
        },
    )


def test_numbers_have_densities_in_the_picture():
    net = with_numbers()
    held = Beliefs(net, read_mixed_findings(net, {"weight": 90}))
    assert is_quick(net)
    assert str(held).splitlines()[1].startswith("height  mean 171.5 → 182.5   sd 7.89 → 4.209")
    assert str(held).splitlines()[2] == "weight  = 90.0"
    svg = held.to_svg()
    # The density of the height before and after; the weight is observed.
    assert svg.count("<polygon") == 2
    assert "90" in words(svg)
    assert "182.5 ± 4.21" in words(svg)
    held.plot().figure.canvas.draw()


def test_the_change_of_a_number_is_that_of_its_distribution():
    net = with_numbers()
    held = Beliefs(net, read_mixed_findings(net, {"sex": "m"}))
    # Two normals 13 apart with variance 20: half of the mass moves, but for what they share.
    assert held.change("height") == pytest.approx(0.5 * (1 - 2 * held["height"].cdf(171.5)), abs=1e-3)
    assert Beliefs(net, read_mixed_findings(net, {"height": 180})).change("height") == 1
    assert Beliefs(net, read_mixed_findings(net, {})).change("weight") == 0
    interval = Beliefs(net, read_mixed_findings(net, {"height": (180, None)}))
    assert interval.uncertain == {"height"}
    assert interval.evidence == {}
