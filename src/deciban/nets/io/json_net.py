"""JSON, deciban's own text format, the one that keeps the types of nodes and states.

    {"format": "deciban net", "version": 1,
     "nodes": [{"name": "wet", "states": ["no", "yes"], "parents": ["rain"], "table": [[0.9, 0.1], [0.2, 0.8]]}]}

Names are strings, integers, floats, true, false or null. Doubles are written with as many digits as are needed to
read back the same double.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable
from reprlib import Repr
from typing import NoReturn, TypedDict

import numpy as np

from deciban.errors import DecibanError, FileError, NetworkError
from deciban.limits import check_memory
from deciban.nets.data.node_rows import first_repeated
from deciban.nets.graphs.dag import DAG
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


_KEYS = tuple(_Node.__annotations__)


def read_json(raw: bytes | str, file: str) -> Network:
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


def write_json(network: Network) -> str:
    """The text of a net, one line per node."""
    nodes = [
        {
            "name": _plain(node),
            "states": [_plain(state) for state in network.states[node]],
            "parents": [_plain(up) for up in network.parents[node]],
            "table": network.tables[node].tolist(),
        }
        for node in network.nodes
    ]
    lines = ",\n".join(json.dumps(node, allow_nan=False) for node in nodes)
    return f'{{"format": "{_FORMAT}", "version": {_VERSION}, "nodes": [\n{lines}\n]}}\n'


def _network(nodes: list[_Node], file: str) -> Network:
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
        states = {node["name"]: node["states"] for node in nodes}
        return Network(dag, states, {node["name"]: node["table"] for node in nodes}, parents)
    except DecibanError as error:
        raise FileError(f"{file}: {error}") from None


def _checked(nodes: object, file: str) -> list[_Node]:
    """The nodes of a file; an error where a key or a type is wrong."""
    if not isinstance(nodes, list):
        raise FileError(f'{file}: expected a list as "nodes", found {_shown(nodes)}')
    for index, node in enumerate(nodes):
        where = f"{file}, nodes[{index}]"
        if not isinstance(node, dict) or any(key not in node for key in _KEYS):
            raise FileError(f"{where}: expected an object with {', '.join(_KEYS)}, found {_shown(node)}")
        lists = [node["states"], node["parents"]]
        if not all(isinstance(value, list) for value in (*lists, node["table"])):
            raise FileError(f"{where}: states, parents and table are lists")
        for name in (node["name"], *node["states"], *node["parents"]):
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
