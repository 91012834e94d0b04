"""Every format is read and written, and the tables stay the same."""

from __future__ import annotations

from typing import get_args

import pytest

import deciban as db
from deciban.cli.commands.nets import FORMATS, NetFormat, read_net_file
from deciban.nets.io import formats


@pytest.mark.parametrize("form", FORMATS)
def test_a_net_survives_every_format(call, form, tmp_path):
    suffix = FORMATS[form][0].split()[0]
    there, back = tmp_path / f"net{suffix}", tmp_path / "back.bif.gz"
    call("convert", "garden.bif", there)
    call("convert", there, back)
    assert db.read_net(back) == db.read_net("garden.bif")
    plain = tmp_path / "plain"
    call("convert", "garden.bif", plain, "--to", form)
    assert read_net_file(str(plain), form) == db.read_net("garden.bif")
    call("convert", plain, tmp_path / "again.bif", "--from", form)


def test_the_formats_are_those_of_the_library():
    own = {name: set(suffixes.split()) for name, (suffixes, _) in FORMATS.items() if name != "deciban"}
    assert own == {name: set(held.suffixes) for name, held in formats.FORMATS.items()}
    assert list(get_args(NetFormat)) == list(FORMATS)


def test_the_list_names_every_format_and_suffix(call):
    shown = call("convert", "--list").stdout
    assert all(name in shown and suffixes in shown for name, (suffixes, _) in FORMATS.items())


def test_a_gaussian_net_has_no_network_file(call, tmp_path):
    net = db.GaussianNet.from_parameters([("a", "b")], {"a": db.LinearGaussian(1), "b": db.LinearGaussian(0, {"a": 2})})
    db.save(net, tmp_path / "numbers.deciban")
    shown = call("convert", tmp_path / "numbers.deciban", tmp_path / "numbers.bif", code=1).stderr
    assert "this net is Gaussian: write it to a .deciban file" in shown
    assert not (tmp_path / "numbers.bif").exists()


def test_an_unknown_suffix_names_the_known_ones(call, tmp_path):
    shown = call("convert", "garden.bif", tmp_path / "net.biff", code=1).stderr
    assert "it ends in none of .bif, .xmlbif" in shown and "Did you mean '.bif'?" in shown
