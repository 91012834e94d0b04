"""Results are kept: a run that was stopped goes on where it ended, and nothing stale is used."""

import doctest
import json

import pytest

from benchmarks.harness import store as module
from benchmarks.harness.builds import own_build, peer_versions
from benchmarks.harness.store import Store


def refuse():
    raise AssertionError("this was computed before")


def test_a_later_run_computes_nothing_again(tmp_path):
    key = {"seed": 0, "fold": 3, "settings": "GaussianNB()"}
    assert Store(tmp_path).get("glass", "GaussianNB", key, lambda: [1, 2.5]) == [1, 2.5]
    assert Store(tmp_path).get("glass", "GaussianNB", dict(reversed(key.items())), refuse) == [1, 2.5]


@pytest.mark.parametrize("changed", [{"seed": 1}, {"fold": 4}, {"settings": "GaussianNB(var_smoothing=1)"}])
def test_another_seed_fold_or_setting_is_computed(tmp_path, changed):
    key = {"seed": 0, "fold": 3, "settings": "GaussianNB()"}
    store = Store(tmp_path)
    store.get("glass", "GaussianNB", key, lambda: 1)
    assert store.get("glass", "GaussianNB", key | changed, lambda: 2) == 2
    assert store.get("glass", "GaussianNB", key, refuse) == 1


def test_a_line_that_was_not_written_to_its_end_is_computed_again(tmp_path):
    for fold in range(3):
        Store(tmp_path).get("glass", "GaussianNB", {"fold": fold}, lambda fold=fold: fold)
    (path,) = tmp_path.rglob("*.jsonl")
    path.write_text(path.read_text()[:-5])
    again = Store(tmp_path)
    assert again.get("glass", "GaussianNB", {"fold": 1}, refuse) == 1
    assert again.get("glass", "GaussianNB", {"fold": 2}, lambda: 20) == 20
    assert Store(tmp_path).get("glass", "GaussianNB", {"fold": 2}, refuse) == 20


def test_a_fresh_run_computes_once_and_keeps_what_it_finds(tmp_path):
    Store(tmp_path).get("glass", "GaussianNB", {}, lambda: 1)
    fresh = Store(tmp_path, is_fresh=True)
    assert fresh.get("glass", "GaussianNB", {}, lambda: 2) == 2
    assert fresh.get("glass", "GaussianNB", {}, refuse) == 2
    assert Store(tmp_path).get("glass", "GaussianNB", {}, refuse) == 2


def test_a_failure_is_not_kept(tmp_path):
    with pytest.raises(ZeroDivisionError):
        Store(tmp_path).get("glass", "GaussianNB", {}, lambda: 1 / 0)
    assert Store(tmp_path).get("glass", "GaussianNB", {}, lambda: 1) == 1


def test_files_are_lines_of_json_named_by_table_and_model(tmp_path):
    Store(tmp_path).get("breast cancer", "bins + CategoricalNB on inner folds", {"fold": 0}, lambda: 1)
    path = tmp_path / "breast-cancer" / "bins-categoricalnb-on-inner-folds.jsonl"
    assert json.loads(path.read_text()) == {"key": {"fold": 0}, "value": 1}


def test_keys_know_the_packages_and_the_state_of_deciban():
    assert "scikit-learn" in peer_versions()
    assert own_build().startswith("deciban ")
    assert own_build() == own_build()


def test_what_the_module_shows_is_true():
    assert doctest.testmod(module).failed == 0
