"""Progress of reading."""

import pytest

import deciban as db
from deciban.engines.files import text_files as lines
from deciban.engines.source import reporting
from deciban.errors import ParameterError
from tests.engines.files.tables import mixed_table, write

TABLE = mixed_table(2_000)


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".arrow"])
def test_a_function_is_called_with_what_was_read(suffix, tmp_path, monkeypatch):
    monkeypatch.setattr(lines.TextFile.blocks, "__defaults__", (10_000,))
    steps = []
    db.tally(write(TABLE, tmp_path / f"rows{suffix}", batch=500), target="y", progress=steps.append)
    assert len(steps) > 2
    assert [step.rows for step in steps] == sorted(step.rows for step in steps)
    assert steps[-1].rows == len(TABLE) and 0.8 < steps[-1].share <= 1
    assert all(0 < step.share <= 1 and step.rows_per_second > 0 for step in steps)


def test_a_bar_goes_to_the_standard_error(tmp_path, capsys):
    path = write(TABLE, tmp_path / "rows.csv")
    db.tally(path, target="y")  # no terminal: no bar
    assert capsys.readouterr() == ("", "")
    db.tally(path, target="y", progress=True)
    captured = capsys.readouterr()
    assert captured.out == "" and "rows/s" in captured.err


def test_anything_else_is_refused():
    message = "progress is True, False, None or a function, not 'bar'"
    with pytest.raises(ParameterError, match=message), reporting("bar", ""):
        pass
