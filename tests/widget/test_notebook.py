"""The widget of a notebook: clicks reach the cells, and cells reach the picture."""

import pytest

from deciban.errors import UnknownNodeError
from deciban.nets import Distribution
from tests.widget.nets import asia, mixed, wide

NET = asia()


def test_it_begins_with_the_findings_that_are_given():
    widget = NET.widget({"xray": "yes"}, interventions={"smoke": "no"})
    expected = NET.do({"smoke": "no"}).query("lung", {"xray": "yes"})
    assert widget.beliefs["lung"]["yes"] == pytest.approx(expected["yes"])
    assert widget.findings["observed"] == {str(NET.nodes.index("xray")): 0}
    assert ("smoke", "lung") in widget.graph.directed_edges


def test_a_click_reaches_the_cells():
    widget, heard = NET.widget(), []
    widget.observe(lambda change: heard.append(change.new), "evidence")
    widget.findings = {"observed": {str(NET.nodes.index("asia")): 0}, "turn": 1}
    assert heard == [{"asia": "yes"}] and widget.evidence == {"asia": "yes"}
    assert widget.answer["turn"] == 1
    assert widget.beliefs["tub"]["yes"] == pytest.approx(NET.query("tub", {"asia": "yes"})["yes"])
    assert isinstance(widget.beliefs["tub"], Distribution)


def test_a_cell_reaches_the_picture():
    widget = NET.widget({"asia": "yes"})
    widget.evidence = {}
    widget.interventions = {"lung": "yes"}
    assert widget.findings["interventions"] == {str(NET.nodes.index("lung")): 0}
    assert widget.answer["turn"] == widget.findings["turn"] == 2
    assert widget.beliefs["smoke"]["yes"] == pytest.approx(0.5), "what is set says nothing about its causes"
    assert ("smoke", "lung") not in widget.graph.directed_edges


def test_a_wrong_name_changes_nothing():
    widget = NET.widget({"asia": "yes"})
    with pytest.raises(UnknownNodeError):
        widget.evidence = {"rain": "yes"}
    assert widget.evidence == {"asia": "yes"} and widget.findings["observed"] == {"0": 0}


def test_impossible_findings_are_shown_and_told_to_no_cell():
    widget = NET.widget({"either": "no"})
    widget.findings = {"observed": {**widget.findings["observed"], str(NET.nodes.index("tub")): 0}, "turn": 1}
    assert "error" in widget.answer
    assert widget.evidence == {"either": "no"}


def test_edges_and_other_parts_are_told_on_demand():
    widget = wide().widget()
    assert len(widget.scene["nodes"]) == 40
    widget.centre = 399
    assert widget.scene["nodes"][-1]["name"] == "n399"
    widget.asked = 0
    assert widget.told["edge"] == 0 and "bits" in widget.told["text"]
    assert mixed().widget({"height": 170.0}).beliefs["sex"]["f"] > 0
