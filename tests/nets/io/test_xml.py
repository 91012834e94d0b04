"""XMLBIF and XDSL as other programs write them; and no file can make the parser grow or reach elsewhere."""

import pytest

from deciban.errors import FileError
from deciban.nets.io.xdsl import read_xdsl
from deciban.nets.io.xmlbif import read_xmlbif

XMLBIF = """<?xml version="1.0"?>
<!DOCTYPE BIF [ <!ELEMENT BIF ( NETWORK )*> <!ATTLIST BIF VERSION CDATA #REQUIRED> ]>
<BIF VERSION="0.3"><NETWORK><NAME>Dog</NAME>
<VARIABLE TYPE="nature"><NAME> rain </NAME><OUTCOME>no</OUTCOME><OUTCOME>yes</OUTCOME><PROPERTY>x</PROPERTY></VARIABLE>
<VARIABLE><NAME>wet</NAME><OUTCOME>&lt;1</OUTCOME><OUTCOME>b</OUTCOME></VARIABLE>
<DEFINITION><FOR>rain</FOR><TABLE>0.8 0.2</TABLE></DEFINITION>
<DEFINITION><FOR>wet</FOR><GIVEN>rain</GIVEN><TABLE>0.9 0.1 <!-- no -->
0.2 0.8</TABLE></DEFINITION>
</NETWORK></BIF>
"""
XDSL = """<?xml version="1.0" encoding="ISO-8859-1"?>
<smile version="1.0" id="Net" numsamples="1000">
<nodes>
<cpt id="rain" dynamic="no"><state id="no" /><state id="yes" /><probabilities>0.8 0.2</probabilities></cpt>
<deterministic id="wet"><state id="dry" /><state id="wet" /><parents>rain</parents>
<resultingstates>dry wet</resultingstates></deterministic>
</nodes>
<extensions><genie version="1.0"><node id="rain"><name>Regen f\xe4llt</name></node></genie></extensions>
</smile>
"""


def test_xmlbif_is_read():
    network = read_xmlbif(XMLBIF.encode(), "x")
    assert dict(network.states) == {"rain": ("no", "yes"), "wet": ("<1", "b")}
    assert network.tables["wet"].tolist() == [[0.9, 0.1], [0.2, 0.8]]


def test_xdsl_is_read():
    network = read_xdsl(XDSL.encode("latin-1"), "x")
    assert network.tables["wet"].tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("</NETWORK>", "", "line 9: this is no XML: mismatched tag"),
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


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("dry wet<", "dry fog<", "line 6: expected one of dry, wet, found 'fog'"),
        ('<cpt id="rain"', "<cpt", 'line 4: expected <cpt id="…">, found <cpt>'),
        ('id="wet"><state', 'id="rain"><state', "line 5: the variable 'rain' is defined a second time"),
        ("<probabilities>0.8 0.2</probabilities>", "", "line 4: expected one <probabilities> of 'rain', found 0"),
        ("<nodes>", "<knots>", "line 7: this is no XML: mismatched tag"),
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


@pytest.mark.parametrize(
    "entity", ['<!ENTITY a "aaaa">', '<!ENTITY a SYSTEM "file:///etc/passwd">', '<!ENTITY % p "x">']
)
def test_entities_are_refused(entity):
    text = XMLBIF.replace("<!ELEMENT BIF ( NETWORK )*>", entity)
    with pytest.raises(FileError, match="x, line 2: the file declares an entity; such files are not read"):
        read_xmlbif(text.encode(), "x")
