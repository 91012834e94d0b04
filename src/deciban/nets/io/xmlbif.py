"""XMLBIF, the interchange format in XML (Cozman 1998, version 0.3).

    <DEFINITION><FOR>wet</FOR><GIVEN>rain</GIVEN><TABLE>0.9 0.1 0.2 0.8</TABLE></DEFINITION>

A table has the states of ``FOR`` fastest, then those of the last ``GIVEN``. Properties are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from deciban.nets.io.draft import Draft
from deciban.nets.io.names import Names
from deciban.nets.io.xml_tree import Element, element, numbers, parse_xml
from deciban.nets.network import Network

__all__ = ["read_xmlbif", "write_xmlbif"]


def read_xmlbif(raw: bytes, file: str) -> Network:
    """The net that a text describes."""
    draft = Draft(file)
    root = parse_xml(raw, draft)
    nets = root.all("NETWORK") if root.tag == "BIF" else []
    if len(nets) != 1:
        raise draft.fail(root.line, f"expected <BIF> with one <NETWORK>, found <{root.tag}> with {len(nets)}")
    for variable in nets[0].all("VARIABLE"):
        if variable.attributes.get("TYPE", "nature") != "nature":
            kind = variable.attributes["TYPE"]
            raise draft.fail(variable.line, f"expected a variable of TYPE 'nature', found {kind!r}")
        states = [outcome.text for outcome in variable.all("OUTCOME", "VALUE")]
        draft.add_variable(_one(variable, "NAME", draft).text, states, variable.line)
    for table in nets[0].all("DEFINITION", "PROBABILITY"):
        node = _one(table, "FOR", draft).text
        draft.add_family(node, [given.text for given in table.all("GIVEN")], table.line)
        values = _one(table, "TABLE", draft)
        draft.add_table(node, numbers(values, draft), values.line)
    return draft.network()


def write_xmlbif(network: Network) -> str:
    """The text of a net."""
    return "\n".join(_lines(network)) + "\n"


def _lines(network: Network) -> Iterator[str]:
    names = Names(network)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<BIF VERSION="0.3">\n<NETWORK>\n<NAME>unknown</NAME>'
    for node, name in names.node.items():
        yield f'<VARIABLE TYPE="nature">\n{element("NAME", name)}'
        yield from (element("OUTCOME", state) for state in names.states[node])
        yield "</VARIABLE>"
    for node, name in names.node.items():
        yield f"<DEFINITION>\n{element('FOR', name)}"
        yield from (element("GIVEN", up) for up in names.parents(network, node))
        table = network.tables[node]
        rows = table.reshape(-1, table.shape[-1]).tolist()
        yield "<TABLE>" + "\n".join(" ".join(map(repr, row)) for row in rows) + "</TABLE>\n</DEFINITION>"
    yield "</NETWORK>\n</BIF>"


def _one(parent: Element, tag: str, draft: Draft) -> Element:
    found = parent.all(tag)
    if len(found) != 1:
        raise draft.fail(parent.line, f"expected one <{tag}> in <{parent.tag}>, found {len(found)}")
    return found[0]
