"""pyAgrum reads what deciban writes and deciban what pyAgrum writes, with the same tables.

Known differences: pyAgrum keeps about seven digits; in XDSL and UAI it writes the first parent's states faster than the
last's, where SMILE's manual and the UAI contests have the first slowest, so tables of several parents change places.
"""

import numpy as np
import pytest

import deciban as db

gum = pytest.importorskip("pyagrum", reason="pyAgrum is not installed")


@pytest.fixture
def net():
    return db.BayesNet.from_tables(
        [("rain", "wet"), ("wind", "wet")],
        {"rain": ("no", "yes"), "wind": ("low", "mid", "high"), "wet": ("no", "yes")},
        {
            "rain": [0.8, 0.2],
            "wind": [0.5, 0.25, 0.25],
            "wet": [[[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]], [[0.4, 0.6], [0.3, 0.7], [0.125, 0.875]]],
        },
        parents={"wet": ("rain", "wind")},
    )


def probability(theirs, node, **states):
    """One entry of a table of pyAgrum's."""
    return theirs.cpt(node)[{name: theirs.variable(name).index(state) for name, state in states.items()}]


@pytest.mark.parametrize("suffix", ["bif", "net"])
def test_pyagrum_reads_what_is_written(net, suffix, tmp_path):
    net.write(tmp_path / f"rain.{suffix}")
    theirs = gum.loadBN(str(tmp_path / f"rain.{suffix}"))
    for i, rain in enumerate(net.states["rain"]):
        for j, wind in enumerate(net.states["wind"]):
            for k, wet in enumerate(net.states["wet"]):
                found = probability(theirs, "wet", rain=rain, wind=wind, wet=wet)
                assert found == pytest.approx(net.tables["wet"][i, j, k], abs=1e-6)


def written_by_pyagrum(net, suffix, folder):
    net.write(folder / "rain.bif")
    gum.saveBN(gum.loadBN(str(folder / "rain.bif")), str(folder / f"theirs.{suffix}"))
    return db.read_net(folder / f"theirs.{suffix}")


@pytest.mark.parametrize("suffix", ["bif", "net"])
def test_what_pyagrum_writes_is_read(net, suffix, tmp_path):
    again = written_by_pyagrum(net, suffix, tmp_path)
    for node in net.nodes:
        turned = [again.parents[node].index(up) for up in net.parents[node]]
        np.testing.assert_allclose(again.tables[node].transpose([*turned, -1]), net.tables[node], atol=1e-5)


@pytest.mark.parametrize("suffix", ["xdsl", "uai"])
def test_pyagrum_has_the_first_parent_fastest_in_xdsl_and_uai(net, suffix, tmp_path):
    again = written_by_pyagrum(net, suffix, tmp_path)
    found = next(table for table in again.tables.values() if table.ndim == 3)
    np.testing.assert_allclose(found.ravel(), net.tables["wet"].transpose(1, 0, 2).ravel(), atol=1e-5)
