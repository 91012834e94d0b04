"""XMLBIF as other programs write it, and what is wrong in a file, with its line."""

import pytest

from deciban.errors import FileError
from deciban.nets.io.xml_formats import read_xmlbif
from tests.nets.io.xml_texts import XMLBIF


def test_xmlbif_is_read():
    network = read_xmlbif(XMLBIF.encode(), "x")
    assert dict(network.states) == {"rain": ("no", "yes"), "wet": ("<1", "b")}
    assert network.tables["wet"].tolist() == [[0.9, 0.1], [0.2, 0.8]]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("</NETWORK>", "", "line 9: this is not valid XML: mismatched tag"),
        ('TYPE="nature"', 'TYPE="utility"', "line 4: expected a variable of TYPE 'nature', found 'utility'"),
        ("<NAME>wet</NAME>", "", "line 5: expected one <NAME> in <VARIABLE>, found 0"),
        ("<NAME>wet</NAME>", "<NAME>rain</NAME>", "line 5: the variable 'rain' is defined a second time"),
        ("0.2 0.8<", "0.2 x<", "line 8: expected a number in <TABLE>, found 'x'"),
        ("0.2 0.8<", "0.2<", "line 7: the table of 'wet' needs 2 × 2 = 4 values, not 3"),
        ("<GIVEN>rain", "<GIVEN>snow", "line 7: the table of 'wet' names 'snow'"),
        ("<BIF ", "<BAF ", "line 3: expected <BIF> with one <NETWORK>, found <BAF> with 0"),
    ],
)
def test_what_is_wrong_in_xmlbif_is_named(old, new, says):
    text = XMLBIF.replace(old, new)
    text = text.replace("</BIF>", "</BAF>") if "BAF" in new else text
    with pytest.raises(FileError, match="x, " + says):
        read_xmlbif(text.encode(), "x")
