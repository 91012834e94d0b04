"""Blocks of whole rows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.engines.files.text_files import TextFile, count_lines, row_end
from deciban.errors import SourceError

cells = st.text('ab"\n,', max_size=6).map(lambda text: '"' + text.replace('"', '""') + '"')
texts = st.lists(st.lists(cells, min_size=1, max_size=3).map(",".join), max_size=30)


@given(texts, st.integers(1, 40), st.integers(0, 30))
def test_blocks_are_whole_rows_and_the_whole_text(tmp_path_factory, rows, size, start):
    path = tmp_path_factory.mktemp("blocks") / "rows.csv"
    path.write_text("".join(row + "\n" for row in rows))
    first = sum(len(row) + 1 for row in rows[:start])
    blocks = list(TextFile(path, None, is_quoted=True).blocks(first, size))
    assert b"".join(block.rows for block in blocks) == path.read_bytes()[first:]
    ends = {0}
    for row in rows:
        ends.add(max(ends) + len(row) + 1)
    assert all(block.start in ends and block.end in ends for block in blocks)
    assert [block.start for block in blocks] == [first, *(block.end for block in blocks)][: len(blocks)]


@given(texts)
def test_the_end_of_the_last_whole_row(rows):
    text = "".join(row + "\n" for row in rows).encode()
    assert row_end(text) == len(text)
    assert row_end(text + b'"open\n') == len(text)


def test_lines_before_an_offset(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a\nbb\nccc\n")
    file = TextFile(path, None, is_quoted=False)
    assert [count_lines(file, end) for end in (0, 1, 2, 5, 9)] == [0, 0, 1, 2, 3]


def test_a_line_without_an_end(tmp_path, monkeypatch):
    monkeypatch.setattr("deciban.engines.files.text_files._LONGEST", 100)
    path = tmp_path / "rows.csv"
    path.write_text("a" * 1000)
    with pytest.raises(SourceError, match="has a line of more than 100 bytes at byte 0"):
        list(TextFile(path, None, is_quoted=True).blocks(0, 10))
