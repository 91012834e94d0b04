"""XDSL, the format of GeNIe and SMILE.

    <cpt id="wet"><state id="no"/><state id="yes"/><parents>rain</parents><probabilities>…</probabilities></cpt>

In <probabilities> the node's own states vary fastest, then those of its last parent (SMILE's manual). Deterministic
nodes are read as tables of 0 and 1. XDSL requires identifiers for nodes and states: other names are replaced by similar
identifiers, and the original names are kept in the user properties ``deciban_name`` and ``deciban_states``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import numpy as np

from deciban.nets.graphs.base import Node
from deciban.nets.io.draft import Draft
from deciban.nets.io.names import Names, identifiers
from deciban.nets.io.xml_tree import Element, attribute, element, numbers, parse_xml
from deciban.nets.network import Network
from deciban.types import Floats

__all__ = ["read_xdsl", "write_xdsl"]

_LONGEST, _SHOWN = 60, 12


def read_xdsl(raw: bytes, file: str) -> Network:
    """The net that a text describes."""
    draft = Draft(file)
    root = parse_xml(raw, draft)
    if root.tag != "smile" or len(root.all("nodes")) != 1:
        raise draft.fail(root.line, f"expected <smile> with <nodes>, found <{root.tag}>")
    names: dict[str, str] = {}
    nodes = root.all("nodes")[0].children
    for node in nodes:
        _read_node(node, draft, names)
    for node in nodes:
        name = names[node.attributes["id"]]
        parents = [names.get(up, up) for listed in node.all("parents") for up in listed.text.split()]
        draft.add_family(name, parents, node.line)
        values = node.all("probabilities", "resultingstates")
        if len(values) != 1:
            raise draft.fail(node.line, f"expected one <probabilities> of {name!r}, found {len(values)}")
        is_table = values[0].tag == "probabilities"
        table = numbers(values[0], draft) if is_table else _determined(values[0], node, name, draft)
        draft.add_table(name, table, values[0].line)
    return draft.network()


def write_xdsl(network: Network) -> str:
    """The text of a net; parents come before their children."""
    return "\n".join(_lines(network)) + "\n"


def _lines(network: Network) -> Iterator[str]:
    names = Names(network)
    identifier = identifiers(names.node.values())
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<smile version="1.0" id="unknown">\n<nodes>'
    for node in network.dag.topological_order():
        name, states = names.node[node], names.states[node]
        yield f"<cpt id={attribute(identifier[name])}>"
        short = identifiers(states)
        yield from (f"<state id={attribute(short[state])}/>" for state in states)
        if network.parents[node]:
            yield f"<parents>{' '.join(identifier[up] for up in names.parents(network, node))}</parents>"
        yield f"<probabilities>{_values(network, node)}</probabilities>"
        if identifier[name] != name:
            yield _property("deciban_name", name)
        if any(short[state] != state for state in states):
            yield _property("deciban_states", json.dumps(states))
        yield "</cpt>"
    yield '</nodes>\n<extensions>\n<genie version="1.0" app="deciban" name="unknown">'
    for name, short_name in identifier.items():
        yield f"<node id={attribute(short_name)}>{element('name', name)}</node>"
    yield "</genie>\n</extensions>\n</smile>"


def _values(network: Network, node: Node) -> str:
    return " ".join(map(repr, network.tables[node].ravel().tolist()))


def _property(key: str, text: str) -> str:
    return element("property", text).replace("<property", f'<property id="{key}"', 1)


def _read_node(node: Element, draft: Draft, names: dict[str, str]) -> None:
    identifier = node.attributes.get("id")
    if node.tag not in ("cpt", "deterministic") or identifier is None:
        raise draft.fail(node.line, f'expected <cpt id="…">, found <{node.tag}>; only discrete chance nodes are read')
    properties = {item.attributes.get("id"): item for item in node.all("property")}
    states = [state.attributes.get("id", "") for state in node.all("state")]
    if "deciban_states" in properties:
        states = _named_states(properties["deciban_states"], states, draft)
    if identifier in names:
        raise draft.fail(node.line, f"the variable {identifier!r} is defined a second time")
    names[identifier] = properties["deciban_name"].text if "deciban_name" in properties else identifier
    draft.add_variable(names[identifier], states, node.line)


def _named_states(item: Element, states: list[str], draft: Draft) -> list[str]:
    try:
        named = json.loads(item.text)
    except (ValueError, RecursionError):
        named = None
    if not isinstance(named, list) or len(named) != len(states) or not all(isinstance(name, str) for name in named):
        found = repr(item.text) if len(item.text) <= _LONGEST else repr(item.text[:_LONGEST]) + "…"
        raise draft.fail(item.line, f"expected a JSON list of {len(states)} names as deciban_states, found {found}")
    return named


def _determined(values: Element, node: Element, name: str, draft: Draft) -> Floats:
    """The table of 0 and 1 in which each configuration of the parents has the one state that the file names."""
    codes = {state.attributes.get("id", ""): code for code, state in enumerate(node.all("state"))}
    words, card = values.text.split(), len(draft.states[name])
    for word in words:
        if word not in codes:
            known = ", ".join(list(codes)[:_SHOWN])
            raise draft.fail(values.line, f"expected one of {known}, found {word[:_LONGEST]!r}")
    rows = math.prod(len(draft.states[up]) for up in draft.parents[name])
    if len(words) != rows:
        raise draft.fail(
            values.line,
            f"{name!r} needs a state for each of the {rows} configurations of its parents, not {len(words)}",
        )
    draft.check_filled(name, values.line)
    table = np.zeros((len(words), card))
    table[np.arange(len(words)), [codes[word] for word in words]] = 1
    return table.ravel()
