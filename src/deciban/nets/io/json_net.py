"""JSON, deciban's own text format, the one that keeps the types of nodes and states.

    {"format": "deciban net", "version": 1,
     "nodes": [{"name": "wet", "states": ["no", "yes"], "parents": ["rain"], "table": [[0.9, 0.1], [0.2, 0.8]]}]}

A number has regressions in the place of states and a table, an entry for each configuration of its categorical parents,
nested as a table is; the slopes of a configuration are those of its numeric parents, in order. A category with numeric
parents has their cuts, in the order of its parents, null for a category:

    {"name": "height", "parents": ["sex"], "intercepts": [165, 178], "slopes": [[], []], "variances": [40, 50]}
    {"name": "tall", "states": ["no", "yes"], "parents": ["height"], "cuts": [[175]], "table": [[1, 0], [0, 1]]}

Names are strings, integers, floats, true, false or null. Doubles are written with as many digits as are needed to
read back the same double.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable
from reprlib import Repr
from typing import Any, NoReturn, TypedDict

import numpy as np

from deciban.errors import DecibanError, FileError, NetworkError
from deciban.limits import check_memory
from deciban.nets.data.node_rows import first_repeated
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.mixed_network import MixedNetwork, Regressions
from deciban.nets.network import Network

__all__ = ["read_json", "write_json"]

_FORMAT, _VERSION = "deciban net", 1
_PER_VALUE = 100
"""The most bytes per value: an empty object, and its reference in a list."""
_BRIEF = Repr()
_BRIEF.maxlevel, _BRIEF.maxstring = 2, 60

Name = str | float | bool | None  # an int is a float to the type checker


class _Node(TypedDict):
    """A node as the file has it; numbers of the table are checked by the net."""

    name: Name
    states: list[Name]
    parents: list[Name]
    table: list[object]


class _Number(TypedDict):
    """A number as the file has it; the values are checked by the net."""

    name: Name
    parents: list[Name]
    intercepts: object
    slopes: object
    variances: object


_KEYS, _NUMBER_KEYS = tuple(_Node.__annotations__), tuple(_Number.__annotations__)


def read_json(raw: bytes | str, file: str) -> Network | MixedNetwork:
    """The net that a text describes."""
    # Before it is parsed: a small file can hold very many small values, and the parser has no limit of its own.
    check_memory("the values of the JSON text", _values_in(raw), itemsize=_PER_VALUE)
    try:
        content = json.loads(raw, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise FileError(f"{file}, line {error.lineno}: this is not valid JSON: {error.msg}") from None
    except RecursionError:
        raise FileError(f"{file}: this JSON cannot be read: it is nested too deeply") from None
    except ValueError as error:  # not UTF-8, or a number of thousands of digits
        raise FileError(f"{file}: this JSON cannot be read: {error}") from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise FileError(f'{file}: expected {{"format": "{_FORMAT}", …}}, found {_shown(content)}')
    if content.get("version") != _VERSION:
        raise FileError(
            f"{file} has version {_shown(content.get('version'))}; this deciban reads version {_VERSION}. Update it."
        )
    return _network(_checked(content.get("nodes"), file), file)


def write_json(network: Network | MixedNetwork) -> str:
    """The text of a net, one line per node."""
    lines = ",\n".join(json.dumps(_written(network, node), allow_nan=False) for node in network.nodes)
    return f'{{"format": "{_FORMAT}", "version": {_VERSION}, "nodes": [\n{lines}\n]}}\n'


def _written(network: Network | MixedNetwork, node: Node) -> dict[str, object]:
    head: dict[str, object] = {"name": _plain(node)}
    parents = {"parents": [_plain(up) for up in network.parents[node]]}
    if isinstance(network, MixedNetwork) and node not in network.states:
        lines = network.regressions[node]
        values = {"intercepts": lines.intercepts, "slopes": lines.slopes, "variances": lines.variances}
        return {**head, **parents, **{name: array.tolist() for name, array in values.items()}}
    head["states"] = [_plain(state) for state in network.states[node]]
    table = {"table": network.tables[node].tolist()}
    if not isinstance(network, MixedNetwork) or not network.cuts[node]:
        return {**head, **parents, **table}
    cuts = [network.cuts[node][up].tolist() if up in network.cuts[node] else None for up in network.parents[node]]
    return {**head, **parents, "cuts": cuts, **table}


def _network(nodes: list[dict[str, Any]], file: str) -> Network | MixedNetwork:
    names = [node["name"] for node in nodes]
    if len(set(names)) < len(names):
        raise FileError(f"{file}: the variable {first_repeated(names)!r} is defined twice")
    parents = {node["name"]: tuple(node["parents"]) for node in nodes}
    for name, ups in parents.items():
        unknown = [up for up in ups if up not in parents]
        if unknown:
            raise FileError(f"{file}: the parent {unknown[0]!r} of {name!r} is not a variable of this file")
    try:
        dag = DAG([(up, name) for name, ups in parents.items() for up in ups], names)
        categories = [node for node in nodes if "states" in node]
        states = {node["name"]: node["states"] for node in categories}
        tables = {node["name"]: node["table"] for node in categories}
        if len(categories) == len(nodes):
            return Network(dag, states, tables, parents)
        numbers = [node for node in nodes if "states" not in node]
        return MixedNetwork(
            dag,
            states,
            {node["name"]: _in_order(dag, node) for node in categories},
            {node["name"]: _regressions(dag, node, states) for node in numbers},
            {node["name"]: _cuts(node, states) for node in categories},
        )
    except DecibanError as error:
        raise FileError(f"{file}: {error}") from None


def _in_order(dag: DAG, node: dict[str, Any]) -> object:
    """The table of a category, with the axes of its parents in the order of the graph."""
    try:
        table = np.array(node["table"], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return node["table"]  # the net says what is wrong with it
    order = sorted(range(len(node["parents"])), key=lambda axis: dag.index(node["parents"][axis]))
    return table.transpose(*order, len(order)) if table.ndim == len(order) + 1 else table


def _regressions(dag: DAG, node: dict[str, Any], states: dict[Name, list[Name]]) -> Regressions:
    above = sorted(node["parents"], key=dag.index)
    categories = tuple(up for up in above if up in states)
    numbers = tuple(up for up in above if up not in states)
    if list(node["parents"]) != above:
        raise NetworkError(f"the parents of the number {node['name']!r} are not in the order of the nodes")
    shape = tuple(len(states[up]) for up in categories)
    slopes = np.empty((*shape, 0)) if not numbers else node["slopes"]
    return Regressions(categories, numbers, node["intercepts"], slopes, node["variances"])


def _cuts(node: dict[str, Any], states: dict[Name, list[Name]]) -> dict[Name, object]:
    given = node.get("cuts", [])
    if not isinstance(given, list) or len(given) not in (0, len(node["parents"])):
        raise NetworkError(f"the cuts of {node['name']!r} are a list with an entry for each parent")
    pairs = zip(node["parents"], given, strict=False)
    return {up: ends for up, ends in pairs if up not in states and ends is not None}


def _checked(nodes: object, file: str) -> list[dict[str, Any]]:
    """The nodes of a file; an error where a key or a type is wrong."""
    if not isinstance(nodes, list):
        raise FileError(f'{file}: expected a list as "nodes", found {_shown(nodes)}')
    for index, node in enumerate(nodes):
        where = f"{file}, nodes[{index}]"
        keys = _NUMBER_KEYS if isinstance(node, dict) and "intercepts" in node and "states" not in node else _KEYS
        if not isinstance(node, dict) or any(key not in node for key in keys):
            raise FileError(f"{where}: expected an object with {', '.join(keys)}, found {_shown(node)}")
        lists = [node["parents"], *([] if keys is _NUMBER_KEYS else [node["states"], node["table"]])]
        if not all(isinstance(value, list) for value in lists):
            raise FileError(f"{where}: states, parents and table are lists")
        for name in (node["name"], *node.get("states", ()), *node["parents"]):
            if isinstance(name, dict | list):
                raise FileError(f"{where}: expected a name, found {_shown(name)}")
    return nodes


def _plain(name: Hashable) -> Name:
    """A name as a JSON value."""
    value: object = name.item() if isinstance(name, np.generic) else name
    if value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise NetworkError(f"JSON cannot represent the name {name!r}: rename it to a string or a number")


def _shown(value: object) -> str:
    text = _BRIEF.repr(value)
    return text if len(text) <= 60 else text[:60] + "…"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"it contains {name}, which is not valid JSON")


def _values_in(raw: bytes | str) -> int:
    """An upper bound of the number of values: each is the first one, or follows one of these marks."""
    if isinstance(raw, str):
        return 1 + sum(map(raw.count, ",[{:"))
    return 1 + sum(map(raw.count, (b",", b"[", b"{", b":")))
