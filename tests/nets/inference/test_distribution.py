"""An answer is read by people, by code and by notebooks."""

import sys

import numpy as np
import pytest

from deciban.errors import DecibanError, ParameterError, UnknownNodeError, UnseenStateError
from deciban.nets.inference.distribution import Distribution, JointDistribution
from tests.nets.inference.brute import asia


def test_a_distribution_is_an_ordered_mapping():
    lung = asia().query("lung", {"smoke": "yes"})
    assert dict(lung) == {"yes": pytest.approx(0.1), "no": pytest.approx(0.9)}
    assert list(lung) == ["yes", "no"] and len(lung) == 2 and lung.most_likely() == "no"
    assert "maybe" not in lung and lung.get("maybe", 0) == 0 and lung.get([]) is None
    assert repr(lung) == "Distribution(lung: yes 0.1000, no 0.9000)"
    assert str(lung) == "lung\nyes  0.1000\nno   0.9000"
    assert lung.entropy == pytest.approx(0.4689955936)
    with pytest.raises(UnseenStateError, match=r"^'lung' has no state 'maybe'; its states are: 'yes', 'no'\.$"):
        lung["maybe"]
    with pytest.raises(ValueError, match="read-only"):
        lung.as_array()[0] = 1


def test_a_distribution_draws_bars_and_escapes():
    html = Distribution("<b>", ("<i>", "x"), [0.25, 0.75])._repr_html_()
    assert "width:25.0%" in html and "&lt;b&gt;" in html and "&lt;i&gt;" in html and "<b>" not in html
    wide = Distribution("n", range(50), np.full(50, 0.02))
    assert "… and 30 more" in str(wide) and "… and 30 more" in wide._repr_html_()


def test_a_distribution_becomes_a_series(monkeypatch):
    lung = asia().query("lung")
    series = lung.to_series()
    assert series.name == "lung" and series["yes"] == pytest.approx(0.055)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(DecibanError, match="needs pandas"):
        lung.to_series()


def test_a_joint_table():
    both = asia().query(["lung", "bronc"])
    assert both["yes", "no"] == pytest.approx(0.5 * 0.1 * 0.4 + 0.5 * 0.01 * 0.7)
    assert len(both) == 4 and list(both)[1] == ("yes", "no") and ("no", "maybe") not in both and "yes" not in both
    assert both.marginal("bronc")["yes"] == pytest.approx(0.45) and isinstance(both.marginal("bronc"), Distribution)
    turned = both.marginal(["bronc", "lung"])
    assert np.array_equal(turned.array, both.array.T) and turned.nodes == ("bronc", "lung")
    assert repr(both) == "JointDistribution(lung, bronc: 4 cells, most likely no, no)"
    assert str(both).splitlines()[0] == "lung  bronc  P" and "<th>bronc</th>" in both._repr_html_()
    with pytest.raises(UnknownNodeError, match="no node 'tub'"):
        both.marginal("tub")
    with pytest.raises(UnknownNodeError, match="no node 'tub'"):
        both.marginal(["tub"])
    with pytest.raises(ParameterError, match="different nodes"):
        both.marginal([])
    with pytest.raises(UnseenStateError):
        both["yes"]


def test_a_joint_table_becomes_a_frame():
    both = asia().query(["lung", "bronc"])
    frame = both.to_frame()
    assert list(frame.columns) == ["lung", "bronc", "P"] and frame["P"].sum() == pytest.approx(1)
    assert both.to_frame("polars").shape == both.to_frame("pyarrow").shape == (4, 3)
    with pytest.raises(ParameterError, match="spreadsheet"):
        both.to_frame("spreadsheet")


def test_long_tables_are_cut():
    wide = JointDistribution(("a", "b"), [range(10), range(10)], np.full((10, 10), 0.01))
    assert str(wide).endswith("… and 80 more") and wide._repr_html_().endswith("… and 80 more")


def test_the_best_explanation_says_how_good_it_is():
    best = asia().mpe({"xray": "yes"})
    assert repr(best).startswith("Completion(asia=no, tub=no, smoke=yes") and "; probability " in repr(best)
    assert best["xray"] == "yes" and len(best) == 8 and 0 < best.posterior < 1
