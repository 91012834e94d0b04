"""A file takes memory for what it holds, not for what it claims to hold; and every refusal is deciban's own error.

Each of these files is small, and would have taken gigabytes or raised an error of a library.
"""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

import deciban as db
from deciban.errors import FileError, TooLargeError
from deciban.nets.io.formats import FORMATS

LIMIT = 64 << 20
STATES = [f"s{i}" for i in range(60)]


@pytest.fixture(autouse=True)
def small_limit(monkeypatch):
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", str(LIMIT))


def read(format_, text):
    return FORMATS[format_].read(text if isinstance(text, bytes) else text.encode(), "x")


def bif(*tables, parents=4):
    listed = ", ".join(STATES)
    names = [f"v{i}" for i in range(parents + 1)]
    text = "".join(f"variable {name} {{ type discrete [ 60 ] {{ {listed} }}; }}\n" for name in names)
    one = f"default {'1 ' + '0 ' * 59};"
    text += "".join(f"probability ( {name} ) {{ {one} }}\n" for name in names[1:])
    head = f"probability ( {names[0]} | {' '.join(names[1:])} )"
    return text + "".join(f"{head} {{ {table} }}\n" for table in tables)


def hugin(body="", parents=4):
    listed = " ".join(f'"{state}"' for state in STATES)
    text = "net { }\n" + "".join(f"node v{i} {{ states = ({listed}); }}\n" for i in range(parents + 1))
    text += "".join(f"potential (v{i}) {{ }}\n" for i in range(1, parents + 1))
    return text + f"potential (v0 | {' '.join(f'v{i}' for i in range(1, parents + 1))}) {{ {body} }}\n"


def test_a_uai_file_has_a_number_for_every_state():
    with pytest.raises(FileError, match="x, line 3: expected 99999995 more numbers, found the end of the file"):
        read("uai", "BAYES\n1 100000000\n1 1 0 1 1.0")


@pytest.mark.parametrize(
    "text", ["BAYES 9007199254740991 2 2", "BAYES 2 2 2 9007199254740991 1 0", "BAYES 1 2 1 1e15 0"]
)
def test_large_numbers_in_a_uai_file_run_into_its_end(text):
    with pytest.raises(FileError, match=r"x, line 1: expected"):
        read("uai", text)


def test_a_default_row_stands_for_a_table_within_the_limit():
    row = "default " + "1 " + "0 " * 59 + ";"
    assert read("bif", bif(row, parents=2)).tables["v0"].shape == (60, 60, 60)
    with pytest.raises(TooLargeError, match=r"the table of 'v0' in line 10 \(60 × 60 × 60 × 60 × 60\) would take"):
        read("bif", bif(row))


def test_a_net_is_written_within_the_limit(monkeypatch, tmp_path):
    net = db.BayesNet.of(read("bif", bif("default " + "1 " + "0 " * 59 + ";", parents=2)))
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", str(1 << 24))
    with pytest.raises(TooLargeError, match=r"the text of the net's table entries \(216,120\) would take 16\.5 MiB"):
        net.write(tmp_path / "a.bif")
    with pytest.raises(TooLargeError, match="the text of the net's table entries"):
        net.to_json()
    assert list(tmp_path.iterdir()) == []


def test_tables_that_are_filled_in_count_together():
    listed = ", ".join(STATES)
    text = "".join(f"variable v{i} {{ type discrete [ 60 ] {{ {listed} }}; }}\n" for i in range(15))
    row = "default " + "1 " + "0 " * 59 + ";"
    text += "".join(
        f"probability ( v{i} | {' '.join(f'v{j}' for j in range(min(i, 2)))} ) {{ {row} }}\n" for i in range(15)
    )
    with pytest.raises(TooLargeError, match=r"the table of 'v14' in line 30 and the earlier ones.* would take 64"):
        read("bif", text)


def test_rows_that_are_missing_are_found_without_a_table():
    with pytest.raises(FileError, match=r"line 10: the table of 'v0' has no row \(s0, s0, s0, s0\) and no 'default'"):
        read("bif", bif(""))
    row = "(s0, s0, s0, s0) 1 " + "0 " * 59 + ";"
    with pytest.raises(FileError, match=r"has no row \(s0, s0, s0, s1\) and no 'default'"):
        read("bif", bif(row))


def test_a_potential_without_data_is_uniform_within_the_limit():
    assert read("net", hugin(parents=2)).tables["v0"][0, 0, 0] == 1 / 60
    with pytest.raises(
        TooLargeError, match=r"the table of 'v0' in line 11 \(60 × 60 × 60 × 60 × 60\) would take 17.4 GiB"
    ):
        read("net", hugin())


def test_a_deterministic_node_needs_no_square_table():
    states = "".join(f'<state id="s{i}"/>' for i in range(9000))
    node = f'<deterministic id="a">{states}<resultingstates>s7</resultingstates></deterministic>'
    text = f"<smile><nodes>{node}</nodes></smile>"
    assert read("xdsl", text).tables["a"].argmax() == 7
    words = "s1 " * 9000
    with pytest.raises(FileError, match="'a' needs a state for each of the 1 configurations of its parents, not 9000"):
        read("xdsl", text.replace("s7</r", words + "</r"))
    twice = f'<cpt id="b">{states}<probabilities>1 {"0 " * 8999}</probabilities></cpt>'
    given = text.replace("s7</r", words + "</r").replace("<resulting", "<parents>b</parents><resulting", 1)
    with pytest.raises(TooLargeError, match=r"the table of 'a' in line 1 \(9,000 × 9,000\) would take 1.81 GiB"):
        read("xdsl", given.replace("<nodes>", "<nodes>" + twice))


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        ("bif", "(" * 400_000),
        ("net", "a " * 400_000),
        ("xmlbif", "<a/>" * 300_000),
        ("xdsl", "<smile" + ' a=""' * 300_000 + "/>"),
        ("json", "[" + "[]," * 400_000 + "[]]"),
    ],
)
def test_what_a_text_takes_when_it_is_read_is_known_before(format_, text):
    with pytest.raises(TooLargeError, match=r"would take .*; the limit is 64 MiB"):
        read(format_, text)


@pytest.mark.parametrize("format_", FORMATS)
def test_a_decompression_bomb_is_refused(format_, tmp_path):
    path = tmp_path / f"bomb.{format_}.gz"
    path.write_bytes(gzip.compress(b" " * (LIMIT // 4)))
    assert path.stat().st_size < 20_000
    with pytest.raises(TooLargeError, match=r"bomb\.\w+\.gz, decompressed, has more than 4 MiB; files of up to 4 MiB"):
        db.read_net(path)


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    with (tmp_path / "x.bif").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(TooLargeError, match=r"x\.bif has 1 TiB; files of up to 4 MiB are read"):
        db.read_net(tmp_path / "x.bif")
    with (tmp_path / "model").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(TooLargeError, match="model has 1 TiB; files of up to 64 MiB are read"):
        db.load(tmp_path / "model")


LAUGHS = '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><BIF>&b;</BIF>'
EXTERNAL = '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><BIF>&a;</BIF>'
PARAMETER = '<!DOCTYPE a [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]><BIF/>'


@pytest.mark.parametrize("format_", ["xmlbif", "xdsl"])
@pytest.mark.parametrize(
    ("text", "says"),
    [
        (LAUGHS, "x, line 1: the file declares an entity; such files are not read"),
        (EXTERNAL, "x, line 1: the file declares an entity"),
        (PARAMETER, "x, line 1: the file declares an entity"),
        ("<a>\n" * 101 + "</a>" * 101, "x, line 101: <a> is nested more than 100 elements deep"),
        (
            '<?xml version="1.0" encoding="klingon"?><a/>',
            "x, line 1: this XML cannot be read: unknown encoding",
        ),
        ('<?xml version="1.0" encoding="gbk"?><a/>', "x, line 1: this XML cannot be read: multi-byte"),
        ("<a>&lol;</a>", "x, line 1: this is not valid XML: undefined entity"),
    ],
)
def test_xml_that_is_meant_to_harm_is_refused(format_, text, says):
    with pytest.raises(FileError, match=says):
        read(format_, text)


def net_json(**changes):
    node = {"name": "a", "states": ["x", "y"], "parents": [], "table": [0.5, 0.5]}
    return json.dumps({"format": "deciban net", "version": 1, "nodes": [{**node, **changes}]})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[" * 100_000, "x: this JSON cannot be read: it is nested too deeply"),
        ("[" * 900 + "]" * 900, "x: expected .* found"),
        ("9" * 5000, "x: this JSON cannot be read: Exceeds the limit"),
        (net_json(table=[10**400, 0]), "x: the table of 'a' is not an array of numbers"),
        (net_json(table=[[[]] * 70]), "x: the table of 'a'"),
        (net_json(name=float("nan")), "x: this JSON cannot be read: it contains NaN, which is not valid JSON"),
        (b"\xff{}", "x: this JSON cannot be read: "),
    ],
)
def test_json_that_cannot_be_read_is_a_file_error(text, says):
    with pytest.raises(FileError, match=says):
        read("json", text)


@pytest.mark.parametrize("row", ["1e999 -1e999", "1e308 1e308", "nan 1"])
def test_sums_that_overflow_are_no_warning(row):
    with pytest.raises(FileError, match="x, line 1: "):
        read("uai", f"BAYES 1 2 1 1 0 2 {row}")
    given = net_json(table=[float(value) for value in row.split()])
    with pytest.raises(FileError, match="x: "):
        read("json", given)


def test_names_that_are_no_list_are_refused_in_uai():
    text = 'BAYES 1 2 1 1 0 2 0.5 0.5\n# deciban names {"nodes": {"a": 1}, "states": [{"x": 1, "y": 2}]}'
    assert read("uai", text).nodes == ("a",)
    with pytest.raises(FileError, match="x, line 2: the names cannot be read"):
        read("uai", text[: text.index("{")] + "[" * 100_000)


def test_a_node_with_too_many_parents_is_named():
    names = [f"v{i}" for i in range(40)]
    text = "".join(f"variable {name} {{ type discrete [1] {{ s }}; }}\n" for name in names)
    text += "".join(f"probability ( {name} ) {{ table 1; }}\n" for name in names[1:])
    text += f"probability ( v0 | {' '.join(names[1:])} ) {{ table 1; }}"
    with pytest.raises(FileError, match="x, line 80: 'v0' has 39 parents; at most 31 can be read"):
        read("bif", text)


def test_many_nodes_in_one_graph_are_bounded():
    with pytest.raises(
        TooLargeError, match=r"the adjacency of the graph, nodes × bytes, \(60,000 × 7,501\) would take"
    ):
        db.DAG([(i, i + 1) for i in range(59_999)])


def test_a_small_file_takes_little_memory_and_time(tmp_path):
    """Under a hard limit of the system, with deciban's own limit as it is by default."""
    (tmp_path / "a.uai").write_text("BAYES\n1 100000000\n1 1 0 1 1.0")
    (tmp_path / "b.bif").write_text(bif("default " + "1 " + "0 " * 59 + ";"))
    (tmp_path / "c.net").write_text(hugin())
    (tmp_path / "d.json.gz").write_bytes(gzip.compress(b"[" + b"0," * (300 << 19) + b"0]", 1))
    done = subprocess.run(
        [sys.executable, "-c", SMALL, *sorted(map(str, tmp_path.iterdir()))],
        capture_output=True, text=True, timeout=120, check=False, env={"OPENBLAS_NUM_THREADS": "1"},
        cwd=Path(__file__).parents[3],
    )  # fmt: skip
    assert done.stdout.split() == ["FileError", "TooLargeError", "TooLargeError", "TooLargeError"], done.stderr


SMALL = """
import resource, sys
import deciban as db
resource.setrlimit(resource.RLIMIT_DATA, (2 << 30, 2 << 30))
for path in sys.argv[1:]:
    try:
        db.read_net(path)
    except db.errors.DecibanError as error:
        print(type(error).__name__)
"""
