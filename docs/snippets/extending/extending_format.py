"""A file format of your own: a line for each node, with states, parents and table."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import deciban as db
from deciban.nets.io.draft import Draft
from deciban.nets.io.formats import FORMATS, Format


def write_lines(network):
    """node | states | parents | table, with the states of the node changing fastest."""
    lines = []
    for node in network.nodes:
        numbers = [repr(p) for p in network.tables[node].ravel().tolist()]
        fields = ([node], network.states[node], network.parents[node], numbers)
        lines.append(" | ".join(" ".join(map(str, field)) for field in fields))
    return "\n".join(lines) + "\n"


def read_lines(raw, file):
    """The net in a file; a draft raises a FileError that names file and line."""
    draft, rows = Draft(file), []
    for line, text in enumerate(raw.decode().splitlines(), start=1):
        if text.count("|") != 3:
            raise draft.fail(
                line, "four fields are expected: node | states | parents | table"
            )
        (node,), states, parents, numbers = (field.split() for field in text.split("|"))
        draft.add_variable(node, states, line)
        rows.append((node, parents, np.array(numbers, dtype=float), line))
    for node, parents, numbers, line in rows:
        draft.add_family(node, parents, line)
        draft.add_table(node, numbers, line)
    return draft.network()


FORMATS["lines"] = Format(read_lines, write_lines, (".lines",))

states = {"rain": ["no", "yes"], "wet": ["no", "yes"]}
tables = {"rain": [0.75, 0.25], "wet": [[0.9, 0.1], [0.2, 0.8]]}
net = db.BayesNet.from_tables([("rain", "wet")], states, tables)
with TemporaryDirectory() as folder:
    path = Path(folder, "rain.lines")
    net.write(path)
    print(path.read_text(), end="")
    print(db.read_net(path) == net)
