"""XDSL, the format of GeNIe and SMILE.

    <cpt id="wet"><state id="no"/><state id="yes"/><parents>rain</parents><probabilities>…</probabilities></cpt>

Probabilities have the node's own states fastest, then those of its last parent, as SMILE's manual has it. Deterministic
nodes are read as tables of 0 and 1. Nodes and states have identifiers: names that are none are written as some like
them, with the true ones as user properties ``deciban_name`` and ``deciban_states``, from which they are read again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from deciban.nets.base import Node
from deciban.nets.io.draft import Draft
from deciban.nets.io.names import Names, identifiers
from deciban.nets.io.xml_tree import Element, attribute, element, numbers, parse_xml
from deciban.nets.network import Network
from deciban.types import Floats

__all__ = ["read_xdsl", "write_xdsl"]


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
        parents = [names.get(up, up) for held in node.all("parents") for up in held.text.split()]
        draft.add_family(name, parents, node.line)
        values = node.all("probabilities", "resultingstates")
        if len(values) != 1:
            raise draft.fail(node.line, f"expected one <probabilities> of {name!r}, found {len(values)}")
        is_table = values[0].tag == "probabilities"
        table = numbers(values[0], draft) if is_table else _determined(values[0], node, draft)
        draft.add_table(name, table, values[0].line)
    return draft.network()


def write_xdsl(network: Network) -> str:
    """The text of a net; a node stands after its parents."""
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
    held = {item.attributes.get("id"): item for item in node.all("property")}
    states = [state.attributes.get("id", "") for state in node.all("state")]
    if "deciban_states" in held:
        states = _named_states(held["deciban_states"], states, draft)
    if identifier in names:
        raise draft.fail(node.line, f"the variable {identifier!r} is here a second time")
    names[identifier] = held["deciban_name"].text if "deciban_name" in held else identifier
    draft.add_variable(names[identifier], states, node.line)


def _named_states(item: Element, states: list[str], draft: Draft) -> list[str]:
    try:
        named = json.loads(item.text)
    except ValueError:
        named = None
    if not isinstance(named, list) or len(named) != len(states) or not all(isinstance(name, str) for name in named):
        raise draft.fail(
            item.line, f"expected a JSON list of {len(states)} names as deciban_states, found {item.text!r}"
        )
    return named


def _determined(values: Element, node: Element, draft: Draft) -> Floats:
    identifiers_ = [state.attributes.get("id", "") for state in node.all("state")]
    codes = {state: code for code, state in enumerate(identifiers_)}
    for state in values.text.split():
        if state not in codes:
            raise draft.fail(values.line, f"expected one of {', '.join(codes)}, found {state!r}")
    return np.eye(len(codes))[[codes[state] for state in values.text.split()]].ravel()
