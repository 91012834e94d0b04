"""Text models are scored once, and their results are kept."""

import numpy as np
import pytest
from sklearn.pipeline import Pipeline

from benchmarks.harness.options import Options
from benchmarks.text import accuracy
from benchmarks.text.accuracy import Row
from benchmarks.text.corpora import Labelled, Split
from benchmarks.text.settings import OURS, PEERS, TASKS, TEXT_NB, Setting, Task
from benchmarks.text.trials import TextTrials, fingerprint

SMALL = Split(
    Labelled(["good film", "bad film", "good play", "bad play"] * 5, np.array(["pos", "neg"] * 10)),
    Labelled(["good", "bad", "film"], np.array(["pos", "neg", "neg"])),
)


@pytest.fixture
def options(tmp_path):
    return Options(results=tmp_path)


def task(split=SMALL):
    return Task("films", lambda: [split])


def test_every_corpus_has_models_of_both_sides():
    titles = {task.title for task in TASKS}
    assert set(OURS) == set(PEERS) == titles
    for settings in PEERS.values():
        assert [setting.title.rpartition(", ")[2] for setting in settings[:2]] == ["LinearSVC", "LogisticRegression"]


@pytest.mark.parametrize("number", range(4))
def test_peers_are_scored_with_their_probabilities_if_they_have_any(options, number):
    setting = PEERS["SMS spam"][number]
    found = TextTrials(task(), options).score(setting)
    assert found.own == pytest.approx(2 / 3) or found.own == 1
    assert 0 < found.macro_f1 <= 1
    assert (found.score is None) == ("LinearSVC" in setting.title)


def test_a_second_run_fits_nothing(options):
    found = TextTrials(task(), options).score(TEXT_NB)

    class Refusing(type(TEXT_NB.make())):
        def fit(self, X, y):
            raise AssertionError("this was computed before")

    Refusing.__name__ = "TextNB"
    again = TEXT_NB._replace(make=Refusing)
    assert again.key == TEXT_NB.key
    assert TextTrials(task(), options).score(again) == found


def test_scores_of_splits_are_means(options):
    other = Split(SMALL.train, Labelled(["good", "bad"], np.array(["pos", "neg"])))
    both = Task("films", lambda: [SMALL, other])
    one, two = (TextTrials(task(split), options).score(TEXT_NB) for split in (SMALL, other))
    found = TextTrials(both, options).score(TEXT_NB)
    assert found.own == pytest.approx((one.own + two.own) / 2)
    assert found.macro_f1 == pytest.approx((one.macro_f1 + two.macro_f1) / 2)
    assert found.score.log_loss == pytest.approx((3 * one.score.log_loss + 2 * two.score.log_loss) / 5)


def test_other_documents_are_other_results():
    changed = Labelled(["good", "bad", "play"], SMALL.test.y)
    relabelled = Labelled(SMALL.test.X, np.array(["pos", "neg", "pos"]))
    found = {fingerprint(Split(SMALL.train, test)) for test in (SMALL.test, changed, relabelled)}
    assert len(found) == 3


def test_settings_of_peers_name_their_parameters():
    (logistic,) = (setting for setting in PEERS["IMDB"] if "Logistic" in setting.title)
    assert "C=10" in logistic.key
    assert "ngram_range=(1, 2)" in logistic.key
    assert "scikit-learn" in logistic.key


def test_a_bound_that_does_not_hold_is_said():
    assert Row("films", "TextNB", "accuracy", 0.9, 0.95).figures()[-2:] == ("0.95", "no")
    assert Row("films", "TextNB", "accuracy", 0.9).figures()[-2:] == ("—", "—")


def test_the_section_compares_defaults_and_keeps_peers(options, monkeypatch, tmp_path):
    peers = PEERS["SMS spam"]
    monkeypatch.setattr(accuracy, "TEXTS", tmp_path)
    monkeypatch.setattr(accuracy, "TASKS", (task(),))
    monkeypatch.setattr(accuracy, "OURS", {"films": (TEXT_NB._replace(at_least=0.1),)})
    monkeypatch.setattr(accuracy, "PEERS", {"films": peers})
    monkeypatch.setattr(accuracy, "_compare_em", lambda options, peers_only=False: [])
    assert accuracy.run(Options(parts=("text-peers",), results=options.results)) is None

    def refuse(*_):
        raise AssertionError("this was computed before")

    monkeypatch.setattr(Pipeline, "fit", refuse)
    text = accuracy.run(options)
    ours = "`TextNB()` | `LogCountRatio()` | `AutoText()`"
    svms = "tf-idf of pairs, LinearSVC | tf-idf, LinearSVC"
    assert f"| macro F1 | {ours} | {svms} | tf-idf, LogisticRegression |" in text
    assert f"| log loss | {ours} | tf-idf, LogisticRegression |" in text
    assert "`TextNB()` against tf-idf, LinearSVC: " in text
    assert "| films | `TextNB()` | accuracy |" in text


def test_the_quick_form_leaves_out_what_takes_minutes():
    long = Setting("slow", TEXT_NB.make, is_long=True)
    assert accuracy._chosen([TEXT_NB, long], Options(is_quick=True)) == [TEXT_NB]
    assert accuracy._chosen([TEXT_NB, long], Options()) == [TEXT_NB, long]
