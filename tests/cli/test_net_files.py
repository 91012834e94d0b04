"""Which names are those of nets: results in other formats have names of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from deciban.cli.commands.nets import is_net_file, read_net_file
from deciban.errors import FileError


@pytest.mark.parametrize(
    ("name", "is_net"),
    [
        ("asia.bif", True),
        ("asia.BIF.gz", True),
        ("asia.deciban", True),
        ("asia.xml", True),
        ("rows.csv", False),
        ("edges.json", False),
        ("rows.csv.gz", False),
        ("net", False),
    ],
)
def test_the_suffix_tells_a_net(name, is_net):
    assert is_net_file(Path(name)) is is_net


def test_other_names_are_refused_before_the_file_is_opened():
    with pytest.raises(FileError, match=r"net\.biff is not the name of a network file.*Did you mean '\.bif'"):
        read_net_file("net.biff")
