"""Knowledge from the command line is that of the library, and mistakes are named."""

from __future__ import annotations

import pytest
import typer

from deciban.cli.commands.graphs import read_knowledge
from deciban.errors import FileError, KnowledgeError, MissingFileError


def test_arrows_and_tiers_are_read():
    known = read_knowledge(["a -> b", "b→c"], ["visit to Asia->a"], ["a, b", '"c, d"'], None)
    assert known.required == (("a", "b"), ("b", "c")) and known.forbidden == (("visit to Asia", "a"),)
    assert known.tiers == (("a", "b"), ("c, d",))
    assert read_knowledge(None, None, None, None) is None


@pytest.mark.parametrize("text", ["a", "a -> ", "a -> b -> c", "a <- b", ""])
def test_what_is_no_arrow_is_a_usage_error(text):
    with pytest.raises(typer.BadParameter, match="is not an arrow such as"):
        read_knowledge([text], None, None, None)


def test_one_tier_is_a_usage_error():
    with pytest.raises(typer.BadParameter, match="one tier has no effect"):
        read_knowledge(None, None, ["a"], None)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("{", "is not JSON"),
        ("[]", "holds no knowledge"),
        ('{"required": 3}', "holds no knowledge"),
        ('{"require": []}', "Did you mean 'required'?"),
    ],
)
def test_a_wrong_file_is_an_error_that_names_it(content, error, tmp_path):
    path = tmp_path / "known.json"
    path.write_text(content)
    with pytest.raises(FileError, match=r"known\.json") as raised:
        read_knowledge(None, None, None, path)
    assert error in str(raised.value)


def test_other_errors_are_those_of_the_library(tmp_path):
    (tmp_path / "known.json").write_text('{"required": [["a", "a"]]}')
    with pytest.raises(KnowledgeError):
        read_knowledge(None, None, None, tmp_path / "known.json")
    with pytest.raises(MissingFileError):
        read_knowledge(None, None, None, tmp_path / "missing.json")
