"""The registry of benchmarks and docs/benchmarks.md agree: no section is measured and never shown."""

import doctest

from benchmarks.__main__ import main
from benchmarks.against import Comparison
from benchmarks.against.tasks import TASKS
from benchmarks.harness import report
from benchmarks.harness.names import with_known_names
from benchmarks.harness.paths import PAGE, ROOT
from benchmarks.harness.report import read_sections, write_sections
from benchmarks.sections import SECTIONS

NAMES = [section.name for section in SECTIONS]


def test_names_are_unique():
    names = [name for section in SECTIONS for name in (section.name, *section.parts)]
    assert len(set(names)) == len(names)


def test_the_page_has_every_section_under_its_title():
    page = read_sections(PAGE)
    assert set(page) == set(NAMES)
    for section in SECTIONS:
        assert page[section.name].splitlines()[0] == f"## {section.title}"


def test_sections_are_written_in_the_order_of_the_registry(tmp_path):
    page = tmp_path / "benchmarks.md"
    for name in reversed(NAMES):
        write_sections(page, NAMES, {name: f"## {name}\n\ntext of {name}"})
    write_sections(page, NAMES, {"text": "## text\n\nmeasured again"})
    found = read_sections(page)
    assert list(found) == NAMES
    assert found["text"].endswith("measured again")
    assert found["graphs"].endswith("text of graphs")


def test_what_the_module_shows_is_true():
    assert doctest.testmod(report).failed == 0


def test_builds_are_compared_by_sections_that_exist(capsys):
    assert set(TASKS) <= set(NAMES)
    for section, rows in TASKS.items():
        names = [name for name, _ in rows()] if section != "sampling" else []
        assert len(set(names)) == len(names)
    assert main(["--against", "python", "--only", "accuracy"]) == 2
    assert "no rows to compare" in capsys.readouterr().out


def test_a_row_is_slower_when_medians_and_minima_are():
    assert Comparison("speed", "fit", [1.06, 1.07, 1.08], [1.0, 1.01, 1.0]).is_slower
    assert not Comparison("speed", "fit", [1.0, 1.5, 1.5], [1.0, 1.0, 1.0]).is_slower  # disturbed, but once as fast
    assert not Comparison("speed", "fit", [0.9, 0.9, 0.9], [1.0, 1.0, 1.0]).is_slower


def test_older_names_of_arguments_are_used_where_a_build_has_them():
    def older(ngrams=(1, 1), smoothing=1.0): ...
    def newer(ngram_range=(1, 1), smoothing=1.0): ...

    given = {"ngram_range": (1, 2), "smoothing": 0.5}
    assert with_known_names(newer, **given) == given
    assert with_known_names(older, **given) == {"ngrams": (1, 2), "smoothing": 0.5}


def test_folders_stay_small():
    """A reader finds a section by its folder."""
    for folder in (ROOT / "benchmarks").iterdir():
        if folder.is_dir():
            assert len(list(folder.glob("*.py"))) <= 12, folder.name
