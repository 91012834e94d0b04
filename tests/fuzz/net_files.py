"""Files of Bayes nets: changed ones, made-up ones with large numbers, compressed ones, in all six formats.

A file is read, or refused with an error of deciban's; a net that was read is written and read again.
"""

import gzip
import json
import random
import time
from pathlib import Path

import deciban as db
from deciban.errors import DecibanError
from deciban.nets.io.formats import FORMATS
from tests.fuzz import LEAST_CASES, case_folder
from tests.fuzz.mutations import NUMBERS, mutated

SLOWEST = 20.0
"""Seconds that one case may take on a machine that is busy."""

WORDS = {
    "bif": b"network variable probability type discrete table default property { } ( ) [ ] ; | , // /* */".split(),
    "net": b"net node potential states data = ( ) { } | ; % class model_x discrete continuous deciban_name".split(),
    "uai": [b"BAYES ", b"MARKOV ", b"# deciban names {", b"# ", b'{"nodes": [], "states": []}', b" 1 0 "],
    "json": [b'"format"', b'"nodes"', b'"states"', b'"parents"', b'"table"', b"[", b"]", b"{", b"}", b"null", b"NaN"],
    "xmlbif": [
        b"<VARIABLE>", b"</VARIABLE>", b"<OUTCOME>", b"<DEFINITION>", b"<FOR>", b"<GIVEN>", b"<TABLE>", b"&amp;",
        b"&x;", b'<!DOCTYPE a [<!ENTITY x "y">]>', b'<?xml version="1.0" encoding="klingon"?>', b"<![CDATA[", b"<!--",
        b'<!DOCTYPE BIF SYSTEM "file:///dev/zero">',
    ],
    "xdsl": [
        b"<cpt id='a'>", b"</cpt>", b"<state id='b'/>", b"<parents>", b"<probabilities>", b"<resultingstates>", b"&lt;",
        b"<deterministic id='c'>", b'<!DOCTYPE a [<!ENTITY % x SYSTEM "file:///dev/zero"> %x;]>', b"<property id=",
    ],
}  # fmt: skip


def run(seconds: float, seed: int) -> int:
    """Try files until time is up and the least number of cases has been tried."""
    draw, folder = random.Random(seed), case_folder()  # noqa: S311
    seeds = {name: [format_.write(net.network).encode() for net in _nets()] for name, format_ in FORMATS.items()}
    end, cases = time.monotonic() + seconds, 0
    while time.monotonic() < end or cases < LEAST_CASES:
        name = draw.choice(list(FORMATS))
        made = _made_up(name, draw) if draw.random() < 0.3 else draw.choice(seeds[name])
        if draw.random() < 0.1:
            made += draw.choice(seeds[draw.choice(list(FORMATS))])
        raw = mutated(made, draw, WORDS[name]) if draw.random() < 0.9 else made
        _try(folder, name, _compressed(raw, draw), f"seed {seed}, case {cases}")
        cases += 1
    return cases


def _try(folder: Path, name: str, raw: bytes, which: str) -> None:
    suffix = ".gz" if raw.startswith(b"\x1f\x8b") else ""
    path, begin = folder / f"case.{name}{suffix}", time.process_time()
    path.write_bytes(raw)
    try:
        _read_and_write(path, folder / "again.json")
    except DecibanError:
        pass
    except Exception as error:
        raise AssertionError(f"{which}: {path} raises {type(error).__name__}: {error}") from error
    if time.process_time() - begin > SLOWEST:  # processor time, which other programs do not change
        raise AssertionError(f"{which}: {path} takes {time.process_time() - begin:.0f} s")
    path.unlink()


def _read_and_write(path: Path, again: Path) -> None:
    net = db.read_net(path)
    net.write(again)
    assert db.read_net(again) == net
    again.unlink()


def _compressed(raw: bytes, draw: random.Random) -> bytes:
    if draw.random() > 0.1:
        return raw
    packed = gzip.compress(raw * draw.choice([1, 1, 2]), 1)
    kind = draw.randrange(4)
    if kind == 0:
        return mutated(packed, draw, [b"\x1f\x8b"])
    if kind == 1:
        return packed + packed
    if kind == 2 and draw.random() < 0.02:
        return gzip.compress(draw.choice([b" ", b"[", b"0 ", b"<a>"]) * (1 << 26), 1)
    return packed


def _nets() -> list[db.BayesNet]:
    rain = {"rain": ("no", "yes"), "wet": ("no", "yes", "soaked")}
    return [
        db.BayesNet.from_tables(db.DAG(nodes=["a"]), {"a": ("x",)}, {"a": [1.0]}),
        db.BayesNet.from_tables([("rain", "wet")], rain, {"rain": [0.8, 0.2], "wet": [[0.9, 0.1, 0], [0.2, 0.3, 0.5]]}),
        db.BayesNet.from_tables(
            [("a b", '"'), ("ü", '"')],
            {"a b": ("1", "{"), "ü": ("é;", " "), '"': ("\\", "\n", "<&>")},
            {"a b": [1 / 3, 2 / 3], "ü": [1e-300, 1], '"': [[[0.2, 0.3, 0.5]] * 2] * 2},
        ),
    ]


def _made_up(name: str, draw: random.Random) -> bytes:
    """A file whose numbers are large, whose tables are left to be filled in, or whose parts do not fit."""
    nodes, states = draw.choice([1, 2, 5, 9, 40]), draw.choice([1, 2, 30, 60])
    if draw.random() < 0.02:  # long files are slow to make
        nodes, states = draw.choice([(2, 9000), (9000, 1), (2000, 2)])
    parents = [[f"v{draw.randrange(nodes)}" for _ in range(draw.choice([0, 1, 2, 5, 40]))] for _ in range(nodes)]
    text = _GRAMMARS[name](draw, nodes, states, [list(dict.fromkeys(held)) for held in parents])
    return text.encode()


def _values(draw: random.Random, count: int) -> str:
    row = [draw.choice(NUMBERS).decode() if draw.random() < 0.01 else "0" for _ in range(min(count, 3000) - 1)]
    return " ".join(["1", *row])


def _bif(draw: random.Random, nodes: int, states: int, parents: list[list[str]]) -> str:
    listed = ", ".join(f"s{i}" for i in range(states))
    text = "".join(f"variable v{i} {{ type discrete [ {states} ] {{ {listed} }}; }}\n" for i in range(nodes))
    for i, held in enumerate(parents):
        kind = draw.choice(["default", "default", "table", f"({', '.join(['s0'] * len(held))})"])
        text += f"probability ( v{i} | {' '.join(held)} ) {{ {kind} {_values(draw, states)}; }}\n"
    return text


def _hugin(draw: random.Random, nodes: int, states: int, parents: list[list[str]]) -> str:
    listed = " ".join(f'"s{i}"' for i in range(states))
    text = "net { }\n" + "".join(f"node v{i} {{ states = ({listed}); }}\n" for i in range(nodes))
    for i, held in enumerate(parents):
        body = "" if draw.random() < 0.8 else f"data = ({_values(draw, states)});"
        text += f"potential (v{i} | {' '.join(held)}) {{ {body} }}\n"
    return text


def _uai(draw: random.Random, nodes: int, states: int, parents: list[list[str]]) -> str:
    cards = [str(states) if draw.random() < 0.9 else draw.choice(NUMBERS).decode() for _ in range(nodes)]
    scopes = [" ".join([str(len(held) + 1), *(name[1:] for name in held), str(i)]) for i, held in enumerate(parents)]
    tables = [f"{states} {_values(draw, states)}" for _ in range(nodes)]
    return "\n".join(["BAYES", str(nodes), " ".join(cards), str(nodes), *scopes, *tables])


def _json(draw: random.Random, nodes: int, states: int, parents: list[list[str]]) -> str:
    table = [1] + [0] * (states - 1)
    held = [
        {"name": f"v{i}", "states": list(range(states)), "parents": draw.choice([ups, []]), "table": table}
        for i, ups in enumerate(parents)
    ]
    return json.dumps({"format": "deciban net", "version": 1, "nodes": held})


def _xmlbif(draw: random.Random, nodes: int, states: int, parents: list[list[str]]) -> str:
    listed = "".join(f"<OUTCOME>s{i}</OUTCOME>" for i in range(states))
    text = "".join(f"<VARIABLE><NAME>v{i}</NAME>{listed}</VARIABLE>\n" for i in range(nodes))
    for i, held in enumerate(parents):
        given = "".join(f"<GIVEN>{name}</GIVEN>" for name in held)
        text += f"<DEFINITION><FOR>v{i}</FOR>{given}<TABLE>{_values(draw, states)}</TABLE></DEFINITION>\n"
    return f"<BIF><NETWORK>{text}</NETWORK></BIF>"


def _xdsl(draw: random.Random, nodes: int, states: int, parents: list[list[str]]) -> str:
    listed, text = "".join(f'<state id="s{i}"/>' for i in range(states)), ""
    for i, held in enumerate(parents):
        ups = f"<parents>{' '.join(held)}</parents>" if held else ""
        rows = min(draw.choice([1, states, 3000]), 100_000 // nodes)
        is_table = draw.random() < 0.5
        held_in = "probabilities" if is_table else "resultingstates"
        values = _values(draw, states) if is_table else "s0 " * rows
        tag = "cpt" if is_table else "deterministic"
        text += f'<{tag} id="v{i}">{listed}{ups}<{held_in}>{values}</{held_in}></{tag}>\n'
    return f"<smile><nodes>{text}</nodes></smile>"


_GRAMMARS = {"bif": _bif, "net": _hugin, "uai": _uai, "json": _json, "xmlbif": _xmlbif, "xdsl": _xdsl}
