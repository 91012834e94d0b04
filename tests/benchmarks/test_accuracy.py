"""Classifiers are scored on the same folds, and choices never see the rows that are reported."""

import doctest

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB

from benchmarks.accuracy import classifiers, halves, naive_bayes, tables, times
from benchmarks.accuracy.candidates import candidates
from benchmarks.accuracy.classifiers import bounds, describe_losses, mean_ranks
from benchmarks.accuracy.halves import describe_halves, record
from benchmarks.accuracy.ours import own_classifiers
from benchmarks.accuracy.peers import PEERS, strong_peers
from benchmarks.accuracy.scores import MEASURES, Fold, Score, best_candidate, judge
from benchmarks.accuracy.tables import HALVES, REPORTING, Table, read_table
from benchmarks.accuracy.times import Time
from benchmarks.accuracy.trials import FOLDS, INNER_FOLDS, SEEDS, Contestant, Trials
from benchmarks.harness.options import Options
from benchmarks.harness.paths import TABLES

ACCURACY, LOG_LOSS, CALIBRATION = MEASURES


@pytest.fixture
def options(tmp_path):
    return Options(results=tmp_path)


@pytest.fixture
def quick(tmp_path):
    return Options(is_quick=True, results=tmp_path)


def numbered(rows=100):
    """A table whose one column is the index of the row, with two classes in turn."""
    return Table("numbered", pd.DataFrame({"row": np.arange(rows)}), np.array(["a", "b"] * (rows // 2)))


class Spy:
    """Remembers the rows that it was fitted on and that it predicted."""

    seen: list[tuple[frozenset[int], frozenset[int]]]

    def __init__(self, seen, probability=0.5):
        self.seen, self._probability = seen, probability

    def fit(self, X, y):
        self._rows, self.classes_ = frozenset(X["row"]), np.unique(y)
        return self

    def predict_proba(self, X):
        self.seen.append((self._rows, frozenset(X["row"])))
        return np.tile([self._probability, 1 - self._probability], (len(X), 1))


# Scores.


def test_scores_of_three_rows_by_hand():
    posterior = np.array([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6]])
    score = Score.of_folds([judge(posterior, ["a", "b"], np.array(["a", "b", "b"]))])
    assert score.accuracy == pytest.approx(2 / 3)
    assert score.log_loss == pytest.approx(-np.log([0.9, 0.2, 0.6]).mean())
    assert score.calibration_error == pytest.approx((abs(1 - 0.9) + abs(0 - 0.8) + abs(1 - 0.6)) / 3)


def test_rows_of_one_bin_are_compared_together():
    posterior = np.tile([0.75, 0.25], (4, 1))
    assert Score.of_folds([judge(posterior, ["a", "b"], np.array(list("aaab")))]).calibration_error == 0


def test_certain_predictions_fall_into_the_last_bin():
    fold = judge(np.eye(2), ["a", "b"], np.array(["a", "b"]))
    assert fold == Fold(2, 2, 0.0, [0.0] * 15)


def test_log_loss_is_that_of_scikit_learn():
    draw = np.random.default_rng(0)
    posterior, y = draw.dirichlet([0.1] * 3, size=50), draw.choice(["a", "b", "c"], size=50)
    posterior[0] = [0.0, 0.0, 1.0]
    y[0] = "a"
    found = Score.of_folds([judge(posterior, ["a", "b", "c"], y)])
    assert found.log_loss == pytest.approx(log_loss(y, posterior, labels=["a", "b", "c"]))


def test_a_class_that_the_model_does_not_know_has_probability_zero():
    fold = judge(np.array([[0.6, 0.4]]), ["a", "b"], np.array(["c"]))
    assert fold.correct == 0
    assert fold.loss == pytest.approx(-np.log(np.finfo(float).eps))


def test_folds_count_as_one_set_of_rows():
    draw = np.random.default_rng(1)
    posterior, y = draw.dirichlet([1, 1], size=60), draw.choice(["a", "b"], size=60)
    whole = Score.of_folds([judge(posterior, ["a", "b"], y)])
    parts = Score.of_folds(judge(posterior[rows], ["a", "b"], y[rows]) for rows in np.split(np.arange(60), [10, 35]))
    assert parts == pytest.approx(whole)


def test_differences_that_are_not_printed_are_ties():
    assert ACCURACY.lead(Score(0.90004, 0, 0), Score(0.90001, 0, 0)) == 0
    assert ACCURACY.lead(Score(0.91, 0, 0), Score(0.90, 0, 0)) == pytest.approx(0.01)
    assert LOG_LOSS.lead(Score(0, 0.3, 0), Score(0, 0.5, 0)) == pytest.approx(0.2)


def test_the_best_candidate_depends_on_the_measure():
    scores = {"bold": Score(0.9, 2.0, 0.1), "careful": Score(0.8, 0.5, 0.0)}
    assert best_candidate(scores, ACCURACY) == "bold"
    assert best_candidate(scores, LOG_LOSS) == best_candidate(scores, CALIBRATION) == "careful"


def test_mean_ranks_share_ties():
    scores = {
        "one": {"x": Score(0.9, 0, 0), "y": Score(0.9, 0, 0), "z": Score(0.8, 0, 0)},
        "two": {"x": Score(0.7, 0, 0), "y": Score(0.8, 0, 0), "z": Score(0.9, 0, 0)},
    }
    assert mean_ranks(scores, ACCURACY, ["x", "y", "z"]).tolist() == [2.25, 1.75, 2.0]


def test_losses_are_said_with_their_size():
    peers = dict(zip(PEERS, (Score(0.8, 0.5, 0), Score(0.9, 0.6, 0), Score(0.85, 0.4, 0)), strict=True))
    scores = {"glass": {"KDB": Score(0.87, 0.45, 0), **peers}, "vowel": {"KDB": Score(0.95, 0.3, 0), **peers}}
    assert describe_losses(scores, "KDB") == (
        "`KDB` is less accurate than the random forest on: glass (by 0.0300). "
        "Its log loss is higher than that of the best of the three on: glass (by 0.050, HistGradientBoosting).\n"
    )


def test_what_is_promised_is_held_to():
    peers = dict(zip(PEERS, (Score(0.8, 0.5, 0), Score(0.9, 0.6, 0), Score(0.85, 0.4, 0)), strict=True))
    scores = {"glass": {"KDB": Score(0.87, 0.45, 0), **peers}, "nursery": {"KDB": Score(0.95, 0.3, 0), **peers}}
    verdicts = {row.title: row.figures() for row in bounds(scores, "KDB", ["nursery"])}
    ranks = [figures for title, figures in verdicts.items() if "mean rank" in title]
    assert [figures[0].strip() for figures in ranks] == ["1.5"] * 3
    assert [figures[-1] for figures in ranks] == ["yes"] * 3
    (whole, categorical) = (figures for title, figures in verdicts.items() if "behind" in title)
    assert whole[0].strip() == "-0.01"
    assert categorical[-1] == "yes"
    assert list(bounds({"glass": scores["glass"]}, "KDB", []))[-1].figures()[-1] == "no"


def test_wins_are_counted():
    assert doctest.testmod(halves).failed == 0
    assert record([1, 1, -1]) == "2 wins, 1 loss, 0 ties"


# Trials.


def test_every_row_is_predicted_once_a_seed_by_models_that_have_not_seen_it(options):
    seen = []
    Trials(numbered(), options).score(Contestant("spy", lambda: Spy(seen), ""))
    assert len(seen) == FOLDS * len(SEEDS)
    assert all(not fitted & predicted for fitted, predicted in seen)
    for seed in range(len(SEEDS)):
        rows = [row for _, predicted in seen[FOLDS * seed : FOLDS * (seed + 1)] for row in predicted]
        assert sorted(rows) == list(range(100))


def test_contestants_get_the_same_folds(options):
    first, second = [], []
    trials = Trials(numbered(), options)
    trials.score(Contestant("first", lambda: Spy(first), ""))
    trials.score(Contestant("second", lambda: Spy(second), "", is_peer=False))
    assert first == second


def test_a_second_run_fits_nothing(options):
    seen = []
    first = Trials(numbered(), options).score(Contestant("spy", lambda: Spy(seen), "one"))
    count = len(seen)
    assert Trials(numbered(), options).score(Contestant("spy", lambda: Spy(seen), "one")) == first
    assert len(seen) == count
    Trials(numbered(), options).score(Contestant("spy", lambda: Spy(seen), "two"))
    assert len(seen) == 2 * count


def test_a_run_that_was_stopped_goes_on_at_the_fold_where_it_ended(options):
    seen = []

    class Stopping(Spy):
        def fit(self, X, y):
            if len(seen) == 7:
                raise KeyboardInterrupt
            return super().fit(X, y)

    with pytest.raises(KeyboardInterrupt):
        Trials(numbered(), options).score(Contestant("spy", lambda: Stopping(seen), ""))
    rest = []
    Trials(numbered(), options).score(Contestant("spy", lambda: Spy(rest), ""))
    assert len(seen) == 7
    assert len(rest) == FOLDS * len(SEEDS) - 7


def test_other_values_are_other_results(options):
    seen = []
    spy = Contestant("spy", lambda: Spy(seen), "")
    table = numbered()
    Trials(table, options).score(spy)
    y = table.y.copy()
    y[0] = "b"
    Trials(table._replace(y=y), options).score(spy)
    assert len(seen) == 2 * FOLDS * len(SEEDS)


def test_candidates_are_chosen_without_the_rows_that_are_reported(options):
    inner, outer = [], []

    class Chosen(Spy):
        """Fits of the outer folds have more rows than those of the inner folds."""

        def __init__(self, probability):
            super().__init__([], probability)

        def predict_proba(self, X):
            (outer if len(self._rows) == 90 else inner).append((self._rows, frozenset(X["row"])))
            return super().predict_proba(X)

    pair = [Contestant(name, lambda p=p: Chosen(p), "") for name, p in (("sure", 0.9), ("unsure", 0.5))]
    choice = Trials(numbered(), options).choose(pair, LOG_LOSS)
    assert choice.counts == {"unsure": FOLDS * len(SEEDS)}
    assert choice.score.log_loss == pytest.approx(np.log(2))
    assert len(inner) == len(pair) * FOLDS * len(SEEDS) * INNER_FOLDS
    for number, (_, reported) in enumerate(outer):
        mine = inner[number * len(pair) * INNER_FOLDS : (number + 1) * len(pair) * INNER_FOLDS]
        assert all(not (fitted | predicted) & reported for fitted, predicted in mine)


# Tables.


def test_the_halves_are_twelve_and_twelve_and_share_no_table():
    choosing, reporting = HALVES.values()
    assert len(choosing) == len(reporting) == 12
    assert not set(choosing) & set(reporting)
    assert all(name in describe_halves() for name in (*choosing, *reporting))


def test_scikit_learn_gets_missing_values_categories_and_no_empty_columns():
    X = pd.DataFrame({"a": ["x", "?", "y"], "code": [1.0, np.nan, 2.0], "n": [0.5, 1.5, 2.5], "empty": [np.nan] * 3})
    table = Table("made", X, np.array(["p", "q", "p"]), ("?",), ("code",))
    marked = table.marked
    assert list(marked.columns) == ["a", "code", "n"]
    assert marked["a"].isna().tolist() == marked["code"].isna().tolist() == [False, True, False]
    assert marked["code"].dropna().tolist() == ["1.0", "2.0"]
    assert not table.is_categorical
    assert table._replace(X=X.drop(columns="n")).is_categorical
    assert table.X["a"].tolist() == ["x", "?", "y"]


@pytest.mark.skipif(not TABLES.is_dir(), reason="../shared/data/tables is absent")
def test_the_reporting_tables_are_read_whole():
    shapes = {source.name: read_table(source).X.shape for source in REPORTING}
    assert shapes["nursery"] == (12960, 8)
    assert shapes["supermarket"] == (4627, 216)
    categorical = [name for name in ("nursery", "supermarket", "german", "horse_colic") if _read(name).is_categorical]
    assert categorical == ["nursery", "supermarket"]


def _read(name):
    return read_table(next(source for source in REPORTING if source.name == name))


# Contestants.


@pytest.fixture
def mixed():
    draw = np.random.default_rng(2)
    y = np.array(["yes", "no"] * 60)
    X = pd.DataFrame(
        {
            "label": np.where(draw.random(120) < 0.2, None, np.where(y == "yes", "a", "b")),
            "rare": ["once" if row == 7 else "often" for row in range(120)],
            "number": np.where(draw.random(120) < 0.2, np.nan, draw.normal(size=120) + (y == "yes")),
            "mostly missing": [1.0 if row == 7 else np.nan for row in range(120)],
        }
    )
    return Table("mixed", X, y)


@pytest.mark.parametrize("name", PEERS)
def test_peers_read_missing_values_and_unknown_labels(mixed, name, quick):
    (peer,) = (contestant for contestant in strong_peers(mixed) if contestant.name == name)
    score = Trials(mixed, quick).score(peer)
    assert score.accuracy > 0.8
    assert name.split()[-1].lower() in peer.settings.lower() or "Forest" in peer.settings


def test_boosting_fits_a_large_table_with_a_class_of_one_row():
    draw = np.random.default_rng(3)
    X = pd.DataFrame({"number": draw.normal(size=10_001), "label": draw.choice(["a", "b"], size=10_001)})
    y = np.array(["once", *draw.choice(["yes", "no"], size=10_000)])
    boosting = strong_peers(Table("large", X, y))[-1].make().fit(X, y)
    assert boosting.classes_.tolist() == ["no", "once", "yes"]
    assert boosting.predict_proba(X.head()).shape == (5, 3)


def test_every_candidate_reads_a_mixed_table(mixed, quick):
    trials = Trials(mixed, quick)
    scores = {contestant.name: trials.score(contestant) for contestant in candidates(mixed)}
    assert set(scores) == {
        "GaussianNB",
        "BernoulliNB",
        "bins + CategoricalNB",
        "CategoricalNB and GaussianNB",
    }
    assert max(score.log_loss for score in scores.values()) < 36


def test_settings_name_what_results_depend_on(mixed):
    (ours,) = own_classifiers(mixed._replace(markers=("?",)), ("NaiveBayes",))
    assert "na_values=('?',)" in ours.settings
    assert "deciban" in ours.settings
    assert all("scikit-learn" in contestant.settings for contestant in (*strong_peers(mixed), *candidates(mixed)))


# Sections, on one small table.


@pytest.fixture
def only_wine(monkeypatch):
    X, y = load_wine(return_X_y=True, as_frame=True)
    table = Table("wine", X.iloc[:, :3], y.to_numpy().astype(str))
    monkeypatch.setattr(tables, "_read_half", lambda half: iter([table._replace(name=HALVES[half][0])]))


def test_the_section_of_naive_bayes_shows_both_halves(only_wine, quick):
    text = naive_bayes.run(quick)
    assert text.index("| reporting half |") < text.index("| choosing half |")
    assert "deciban on the reporting half: " in text
    assert "| nursery | 178 × 3 | 3 |" in text
    assert "| `NaiveBayes()`: mean calibration error |" in text
    assert "Not measured" in text


def test_the_section_of_classifiers_shows_means_and_ranks(only_wine, quick, monkeypatch):
    monkeypatch.setattr(classifiers, "OURS", ("NaiveBayes",))
    monkeypatch.setattr(classifiers, "own_classifiers", lambda table: own_classifiers(table, ("NaiveBayes",)))
    monkeypatch.setattr(classifiers, "time_section", lambda options: "times")
    text = classifiers.run(quick)
    for measure in MEASURES:
        assert f"| reporting half: {measure.title} | NaiveBayes | {' | '.join(PEERS)} |" in text
    assert text.count("| mean rank |") == 6
    assert "| `NaiveBayes` against random forest |" in text
    assert text.rstrip().endswith("times")


def test_peers_are_fitted_alone_and_kept(only_wine, quick, monkeypatch):
    def refuse(*_):
        raise AssertionError("deciban's models are not to be fitted")

    monkeypatch.setattr(classifiers, "own_classifiers", refuse)
    monkeypatch.setattr(naive_bayes, "own_classifiers", refuse)
    options = Options(is_quick=True, parts=("classifiers-peers",), results=quick.results)
    assert classifiers.run(options) is None
    assert naive_bayes.run(Options(is_quick=True, parts=("accuracy-peers",), results=quick.results)) is None
    monkeypatch.setattr(GaussianNB, "fit", refuse)
    assert naive_bayes.run(Options(is_quick=True, parts=("accuracy-peers",), results=quick.results)) is None


# Times.


def test_the_ratio_of_times_is_of_fit_and_predict_together():
    row = Time("letter, 20,000 rows", "`AODE`", 0.2, 0.3, forest=5.0)
    assert row.figures() == ("`AODE`", "0.20", "0.30", "10.0×", "5×", "yes")
    assert Time("letter, 20,000 rows", "`AODE`", 1.0, 0.5, forest=5.0).figures()[-1] == "no"
    assert Time("letter, 20,000 rows", "random forest", 4.0, 1.0, None).figures()[-1] == "—"


def test_the_forest_is_timed_before_the_others(mixed, monkeypatch):
    monkeypatch.setattr(times, "own_classifiers", lambda table: own_classifiers(table, ("NaiveBayes", "AODE")))
    rows = list(times._time_table(mixed, 0.5))
    assert [row.model for row in rows] == ["random forest", "`NaiveBayes`", "`AODE`"]
    assert {row.title for row in rows} == {"mixed, 60 rows"}
    assert {row.forest for row in rows[1:]} == {rows[0].fit + rows[0].predict}
