"""Which names are those of nets: results in other formats have names of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from deciban.cli.net_files import is_net_file


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
