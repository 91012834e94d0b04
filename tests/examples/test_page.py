"""Each example prints and draws what its page shows, and its data are what its script makes."""

import re
import shutil
from importlib import import_module
from pathlib import Path

import pytest

from examples.update_page import EXAMPLES, FIGURES, NAMES, PAGE, output_on_page, with_plain_ids

_CREATOR, _TEXT = re.compile(r"<dc:title>(.*?)</dc:title>"), re.compile(r"<text[^>]*>(.*?)</text>")


def texts(picture: str) -> list[str]:
    return _TEXT.findall(picture)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_what_the_example_prints_and_draws(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert not import_module(f"examples.{name}.run").main([])
    page = output_on_page(PAGE.read_text(encoding="utf-8"), name)
    assert page is not None and page["output"] == capsys.readouterr().out, "python examples/update_page.py"
    drawn, shown = ((folder / f"{name}.svg").read_text(encoding="utf-8") for folder in (tmp_path, FIGURES))
    if _CREATOR.findall(drawn) == _CREATOR.findall(shown):
        assert with_plain_ids(drawn) == shown, "python examples/update_page.py"
    else:  # another version of matplotlib draws the same lines in other words
        assert texts(drawn) == texts(shown)


def test_a_picture_does_not_depend_on_the_last_digit_of_a_float():
    clip = '<clipPath id="{0}"/><path clip-path="url(#{0})"/><g id="patch_1"/>'
    one, other = with_plain_ids(clip.format("p2efa096ca9")), with_plain_ids(clip.format("pe01b0c0ee2"))
    assert one == other == '<clipPath id="id1"/><path clip-path="url(#id1)"/><g id="patch_1"/>'


@pytest.mark.parametrize("name", NAMES)
def test_the_data_are_what_the_script_makes(name, tmp_path, monkeypatch):
    module = import_module(f"examples.{name}.make_data")
    for constant in ("FOLDER", "PATH"):
        if hasattr(module, constant):
            here = getattr(module, constant)
            monkeypatch.setattr(module, constant, tmp_path / Path(here).relative_to(EXAMPLES / name))
    module.main()
    made, kept = (files(folder) for folder in (tmp_path, EXAMPLES / name))
    assert made == kept


def files(folder: Path) -> dict[str, bytes]:
    data = (path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in data}


def test_tables_of_the_reader(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    loans, machine, clinics = (import_module(f"examples.{name}.run") for name in ("credit_risk", "drift", "federated"))
    shutil.copy(loans.DATA, "loans.csv")
    loans.main(["loans.csv", "--review-costs", "9"])
    assert re.search(r"or a review +\d+ +\d+ +0 ", capsys.readouterr().out), "no review is worth 9"
    Path("stream.csv").write_text("x,y\n" + "1.5,a\n0.5,b\n2.5,a\n" * 200)
    machine.main(["stream.csv", "--target", "y", "--window", "100"])
    assert "fitted on its rows alone: True" in capsys.readouterr().out
    Path("out").mkdir()
    clinics.main([*map(str, clinics.PARTIES[:2]), "--tallies", "out"])
    assert {path.name for path in Path("out").iterdir()} == {"clinic_a.tally", "clinic_b.tally"}


@pytest.mark.parametrize("name", ["credit_risk", "drift", "ab_test"])
def test_a_table_without_the_columns_is_refused_in_one_line(name, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    arguments = [f"--log={other}"] if name == "ab_test" else [str(other)]
    with pytest.raises(SystemExit, match=f"{name}: .*column"):
        import_module(f"examples.{name}.run").main(arguments)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "spam_filter"])
def test_a_file_that_is_not_there_is_one_line(name, tmp_path):
    none = str(tmp_path / "none")
    arguments = {"triage": ["--net", none], "ab_test": ["--log", none]}.get(name, [none])
    with pytest.raises(SystemExit, match=f"^{name}: .*none.*$"):
        import_module(f"examples.{name}.run").main(arguments)
