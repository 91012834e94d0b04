"""XDSL as GeNIe writes it, and what is wrong in a file, with its line."""

import pytest

from deciban.errors import FileError
from deciban.nets.io.xml_formats import read_xdsl
from tests.nets.io.xml_texts import XDSL


def test_xdsl_is_read():
    network = read_xdsl(XDSL.encode("latin-1"), "x")
    assert network.tables["wet"].tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("dry wet<", "dry fog<", "line 6: expected one of dry, wet, found 'fog'"),
        ('<cpt id="rain"', "<cpt", 'line 4: expected <cpt id="…">, found <cpt>'),
        ('id="wet"><state', 'id="rain"><state', "line 5: the variable 'rain' is defined a second time"),
        ("<probabilities>0.8 0.2</probabilities>", "", "line 4: expected one <probabilities> of 'rain', found 0"),
        ("<nodes>", "<knots>", "line 7: this is not valid XML: mismatched tag"),
        (
            "0.8 0.2<",
            "0.8 0.2</probabilities><property id='deciban_states'>[1]</property><probabilities>1<",
            "line 4: .*",
        ),
    ],
)
def test_what_is_wrong_in_xdsl_is_named(old, new, says):
    with pytest.raises(FileError, match="x, " + says):
        read_xdsl(XDSL.replace(old, new).encode("latin-1"), "x")
