"""A report is a value: shown, saved whole or not at all."""

import pytest

from deciban.errors import FileError, InputTypeError
from deciban.reports.page import HtmlReport

REPORT = HtmlReport('Play "tennis"', "<!DOCTYPE html><p>é</p>")


def test_it_is_saved_whole(tmp_path):
    path = REPORT.save(tmp_path / "report.html")
    assert path.read_text(encoding="utf-8") == REPORT.html and [path] == list(tmp_path.iterdir())


def test_a_path_that_cannot_be_written_is_one_clear_error(tmp_path):
    with pytest.raises(FileError, match="there is no folder"):
        REPORT.save(tmp_path / "nowhere" / "report.html")
    with pytest.raises(InputTypeError, match="named by a string or a Path"):
        REPORT.save(3)


def test_a_lone_surrogate_is_written_as_an_escape(tmp_path):
    path = HtmlReport("t", "a\ud800b").save(tmp_path / "r.html")
    assert path.read_bytes() == b"a\\ud800b"


def test_a_notebook_shows_it_in_a_frame_of_its_own():
    assert repr(REPORT) == "HtmlReport('Play \"tennis\"', 0 KiB)"
    assert REPORT._repr_html_().startswith('<iframe title="Play &quot;tennis&quot;"')
    assert "&lt;!DOCTYPE html&gt;" in REPORT._repr_html_()
