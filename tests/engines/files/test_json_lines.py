"""JSON Lines are read as any JSON parser reads them, and a line that cannot be read is named."""

import gzip
import json
import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.engines.files import json_lines
from deciban.engines.files.json_lines import found_types, read_lines
from deciban.engines.source import open_source
from deciban.errors import ColumnMismatchError, DecibanWarning, InputError, SourceError

SCHEMA = pa.schema([("text", pa.string()), ("label", pa.int64())])

texts = st.text(st.characters(exclude_categories=["Cs"]))
rows = st.lists(
    st.fixed_dictionaries({}, optional={"text": texts | st.none(), "label": st.integers(-(2**63), 2**63 - 1)})
)
GOOD, BAD = b'{"text": "to be", "label": 1}', b'{"text": "to be", "label": '


def written(path, lines):
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


@given(rows, st.booleans(), st.sampled_from(["\n", "\r\n", "\n\n", " \n\t\n"]))
def test_values_are_those_of_the_standard_library(values, is_ascii, end):
    lines = [json.dumps({"id": [1, {"a": None}], **row, "more": {"b": "}\n"}}, ensure_ascii=is_ascii) for row in values]
    table, bad = read_lines("".join(line + end for line in lines).encode(), SCHEMA)
    assert not bad
    assert table.schema == SCHEMA
    assert table.to_pylist() == [{"text": row.get("text"), "label": row.get("label")} for row in values]


@given(st.lists(st.booleans(), max_size=40))
def test_only_the_bad_lines_are_left_out(is_good):
    table, bad = read_lines(b"\n".join(GOOD if good else BAD for good in is_good), SCHEMA)
    assert len(table) == sum(is_good)
    assert [line for line, _ in bad] == [at for at, good in enumerate(is_good) if not good]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"text": 7}', "column 'text' has a number, not a string"),
        (b'{"label": 1.5}', "1.5"),
        (b'{"label": "one"}', "column 'label' has a string, not a number"),
        (b'{"text": "a"', "Missing a comma"),
        (b'["text"]', "not a JSON object"),
        (b'{"text": "\\ud800"}', "surrogate"),
        (b'{"text": "\xff"}', "UTF8|UTF-8"),
        (b"}", "not a JSON object"),
        (b"text", "not a JSON object"),
    ],
)
def test_a_line_that_cannot_be_read_has_its_reason(line, reason):
    table, bad = read_lines(b"\n".join([GOOD, line, GOOD]), SCHEMA)
    assert len(table) == 2
    ((at, why),) = bad
    assert at == 1
    assert re.search(reason, why), why


def test_a_line_may_be_longer_than_the_blocks_of_the_parser():
    long = json.dumps({"text": "word " * 500_000, "label": 3}).encode()
    table, bad = read_lines(b"\n".join([GOOD, long, GOOD]), SCHEMA)
    assert not bad
    assert table["label"].to_pylist() == [1, 3, 1]


def test_types_are_those_of_most_values():
    lines = [b'{"a": 1, "b": true, "c": "x", "d": {}, "e": null}', b'{"a": 2, "b": false, "c": 5}', b'{"c": "y"}', b"?"]
    kinds = found_types(lines)
    assert kinds == {"a": pa.int64(), "b": pa.bool_(), "c": pa.string(), "e": pa.null()}
    assert found_types([*lines, b'{"a": 2.5}'])["a"] == pa.float64()
    assert found_types([b'{"a": 123456789012345678901}'])["a"] == pa.float64()


def test_a_source_has_the_columns_of_all_lines(tmp_path):
    file = written(tmp_path / "a.jsonl", [b'{"text": "to be", "nested": [1]}', b'{"label": 2, "empty": null}', b""])
    source = open_source(file)
    assert source.names == ("text", "label", "empty")
    assert source.sample(100, ("text", "label")).to_pylist() == [
        {"text": "to be", "label": None},
        {"text": None, "label": 2},
    ]
    assert open_source(file, schema={"label": "float64"}).schema.field("label").type == pa.float64()
    with pytest.raises(ColumnMismatchError, match="lable"):
        open_source(file, schema={"lable": "float64"})


def test_pieces_of_any_size_are_the_whole_table(tmp_path, monkeypatch):
    values = [{"text": f"word{i} " * (i % 7), "label": i % 3, "x": i / 4} for i in range(500)]
    lines = [json.dumps(value).encode() for value in values]
    file = written(tmp_path / "a.ndjson", lines)
    whole = db.tally(pa.Table.from_pylist(values), target="label")
    for size in (100, 1000, 1 << 20):
        monkeypatch.setattr(json_lines, "_BLOCK", size)
        assert db.tally(file, target="label").marginal("x", "text") == whole.marginal("x", "text")
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b"\n".join(lines)))
    assert db.tally(tmp_path / "a.jsonl.gz", target="label") == db.tally(file, target="label")


def test_bad_lines_are_named_with_their_file_and_line(tmp_path, monkeypatch):
    monkeypatch.setattr(json_lines, "_BLOCK", 100)
    lines = [GOOD] * 10 + [b""] + [GOOD] * 10 + [BAD, GOOD, b'{"text": "no label"}']
    file = written(tmp_path / "a.jsonl", lines)
    with pytest.raises(SourceError, match=r"a\.jsonl, line 22: it is not a JSON object"):
        db.tally(file, target="label")
    with pytest.warns(DecibanWarning, match=r"2 rows .* line 22: .* line 24: column 'label' has no value"):
        assert db.tally(file, target="label", on_bad_row="skip").total == 21


def test_a_file_without_objects_is_refused(tmp_path):
    for lines in ([], [b""], [b"text"], [b"7"]):
        with pytest.raises(InputError, match="no line that is a JSON object"):
            open_source(written(tmp_path / "a.jsonl", lines))
