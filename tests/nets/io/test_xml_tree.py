"""No XML file can make the parser grow or reach elsewhere."""

import pytest

from deciban.errors import FileError
from deciban.nets.io.xml_formats import read_xmlbif
from tests.nets.io.xml_texts import XMLBIF


@pytest.mark.parametrize(
    "entity", ['<!ENTITY a "aaaa">', '<!ENTITY a SYSTEM "file:///etc/passwd">', '<!ENTITY % p "x">']
)
def test_entities_are_refused(entity):
    text = XMLBIF.replace("<!ELEMENT BIF ( NETWORK )*>", entity)
    with pytest.raises(FileError, match="x, line 2: the file declares an entity; such files are not read"):
        read_xmlbif(text.encode(), "x")
