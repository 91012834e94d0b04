"""What is written is read again, bit for bit, in every format and with any names."""

import gzip
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import FileError, NetworkError, ParameterError
from deciban.nets.io.formats import FORMATS
from tests.nets.io.nets import networks

SMALL = ("alarm", "asia", "cancer", "child", "earthquake", "hailfinder", "insurance", "sachs", "survey", "win95pts")
LARGE = ("andes", "barley", "diabetes", "hepar2", "link", "mildew", "munin", "munin1", "munin2", "munin3", "munin4")
LARGE += ("pathfinder", "pigs", "water")


@pytest.fixture
def rain():
    return db.BayesNet.from_tables(
        [("rain", "wet")],
        {"rain": ("no", "yes"), "wet": ("no", "yes")},
        {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [1 / 3, 2 / 3]]},
    )


@pytest.mark.parametrize("name", SMALL + LARGE)
def test_a_known_net_survives_every_format(name, shared_data, tmp_path):
    net = db.read_net(shared_data / "nets" / f"{name}.bif.gz")
    assert len(net.nodes) > 4
    for format_ in FORMATS if name in SMALL or name == "munin1" else ("bif", "uai"):
        path = tmp_path / f"{name}.{format_}"
        net.write(path)
        again = db.read_net(path)
        assert again == net
        assert all(np.array_equal(net.tables[node], again.tables[node]) for node in net.nodes)
        assert format_ == "xdsl" or again.nodes == net.nodes


@pytest.mark.parametrize("format_", FORMATS)
@given(network=networks())
@settings(max_examples=60)
def test_any_names_and_any_doubles_survive(format_, network):
    text = FORMATS[format_].write(network).encode()
    again = FORMATS[format_].read(text, "a file")
    assert again == network
    assert format_ == "xdsl" or again.nodes == network.nodes


@given(network=networks(st.integers() | st.booleans() | st.text(max_size=3)))
@settings(max_examples=40)
def test_json_keeps_the_types_of_names(network):
    net = db.BayesNet.of(network)
    again = db.BayesNet.from_json(net.to_json())
    assert again == net
    assert [type(node) for node in again.nodes] == [type(node) for node in net.nodes]


def test_other_formats_give_strings(tmp_path):
    net = db.BayesNet.from_tables(db.DAG(nodes=[1]), {1: (True, 2)}, {1: [0.5, 0.5]})
    net.write(tmp_path / "one.bif")
    assert dict(db.read_net(tmp_path / "one.bif").states) == {"1": ("True", "2")}


def test_names_that_look_the_same_are_refused(tmp_path):
    net = db.BayesNet.from_tables(db.DAG(nodes=["a"]), {"a": (1, "1")}, {"a": [0.5, 0.5]})
    with pytest.raises(NetworkError, match="two states of 'a' are both written '1': 1 and '1'"):
        net.write(tmp_path / "a.bif")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format_", ["xmlbif", "xdsl"])
def test_a_character_that_xml_cannot_hold_is_named(format_):
    net = db.BayesNet.from_tables(db.DAG(nodes=["a"]), {"a": ("\x01", "b")}, {"a": [0.5, 0.5]})
    with pytest.raises(NetworkError, match=r"XML cannot contain the character '\\x01'"):
        FORMATS["xmlbif"].write(net.network)


def test_suffix_compression_and_format_are_the_users_choice(rain, tmp_path):
    rain.write(tmp_path / "rain.v2.BIF.gz")
    assert gzip.decompress((tmp_path / "rain.v2.BIF.gz").read_bytes()).startswith(b"network")
    assert db.read_net(tmp_path / "rain.v2.BIF.gz") == rain
    rain.write(str(tmp_path / "rain.txt"), format="xdsl")
    assert db.read_net(str(tmp_path / "rain.txt"), format="xdsl") == rain
    with pytest.raises(ParameterError, match=r"is not that of a known format: use \.bif, \.xmlbif"):
        rain.write(tmp_path / "rain.txt")
    with pytest.raises(ParameterError, match=r"format is one of bif, .* not 'gif'"):
        rain.write(tmp_path / "rain.txt", format="gif")


def test_a_truncated_archive_says_so(rain, tmp_path):
    rain.write(tmp_path / "rain.bif.gz")
    path = tmp_path / "short.bif.gz"
    path.write_bytes((tmp_path / "rain.bif.gz").read_bytes()[:-12])
    with pytest.raises(FileError, match=r"short\.bif\.gz is compressed, and truncated or damaged"):
        db.read_net(path)


def test_a_failed_write_leaves_the_old_file(rain, tmp_path, monkeypatch):
    rain.write(tmp_path / "rain.bif")
    before = (tmp_path / "rain.bif").read_bytes()
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        rain.write(tmp_path / "rain.bif")
    assert [path.name for path in tmp_path.iterdir()] == ["rain.bif"]
    assert (tmp_path / "rain.bif").read_bytes() == before


@pytest.mark.parametrize("format_", [name for name in FORMATS if name != "json"])
def test_every_shorter_file_is_read_or_refused_with_its_line(rain, format_):
    text = FORMATS[format_].write(rain.network).encode()
    said = []
    for end in range(len(text)):
        try:
            assert FORMATS[format_].read(text[:end], "short") == rain.network or format_ == "uai"
        except FileError as error:
            said.append(str(error))
    assert said and all(message.startswith("short, line ") for message in said)
