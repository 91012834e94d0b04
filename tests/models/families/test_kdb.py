"""KDB against its definition, value by value, and what it does with rows that come, go, or are not known."""

from dataclasses import replace
from math import log

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp
from sklearn.datasets import load_wine

import deciban as db
from deciban.errors import ColumnMismatchError, FileError, InputError, ParameterError
from tests.reference.chains import entry
from tests.textbook.tables import TENNIS, rows_of

pytestmark = pytest.mark.usefixtures("each_instruction_set")

ROWS, LABELS = rows_of(TENNIS, "PlayTennis")
CLASSES = ["no", "yes"]
AGREE = {"a": list("xxyy") * 20, "b": list("uvuv") * 20}  # the class is whether a and b agree
IS_SAME = [1, 0, 0, 1] * 20


def mixed(rows=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    size = rng.normal(y, 1.0)
    table = pd.DataFrame(
        {"size": size, "twice": 2 * size + rng.normal(size=rows), "sky": rng.choice(list("abc"), rows)}
    )
    table.loc[rng.random(rows) < 0.1, "twice"] = np.nan
    return table, y


class Twin:
    """A KDB of labels, computed from the rows by its definition."""

    def __init__(self, model):
        self.model, structure = model, model.structure_
        states = [variable.labels.tolist() for variable in model.tally_.parts[0].variables]
        self.sizes = [len(labels) for labels in states]
        self.codes = [[states[i].index(row[view.column]) for i, view in enumerate(structure.views)] for row in ROWS]
        strengths = model._tables._combined.strengths.tolist()
        self.chains = []
        for chain in structure.chains:
            own, strengths = strengths[: len(chain.views)], strengths[len(chain.views) :]
            counts = {}
            for codes, label in zip(self.codes, LABELS, strict=True):
                counts.setdefault(tuple(codes[v] for v in chain.views), [0, 0])[CLASSES.index(label)] += 1
            self.chains.append((chain, counts, own))

    def levels(self, codes, j, out=0.0):
        """What each chain and level adds for class j, weighted."""
        for chain, counts, strengths in self.chains:
            weights, before = self.model.structure_.weights[self.model.structure_.views[chain.view].column], 0.0
            for level in range(len(chain.parents) + 1):
                views = (*chain.parents[:level], chain.view)
                summed = {}
                for key, held in counts.items():
                    at = (*key[:level], key[-1])
                    summed[at] = [a + b for a, b in zip(summed.get(at, [0, 0]), held, strict=True)]
                sizes, values = [self.sizes[v] for v in views], [codes[v] for v in views]
                found = entry(summed, sizes, strengths[: level + 1], values, j, out)
                yield weights[level] * chain.share * (found - before)
                before = found

    def posterior(self, r, *, is_left_out=False):
        own = CLASSES.index(LABELS[r])
        joint = []
        for j, label in enumerate(CLASSES):
            out = float(is_left_out and j == own)
            total = len(LABELS) - is_left_out
            joint.append(log((LABELS.count(label) - out) / total) + sum(self.levels(self.codes[r], j, out)))
        return np.exp(np.array(joint) - logsumexp(joint))


@pytest.mark.parametrize("given", [{"weights": None, "members": 1}, {"members": 3}, {"k": 0}, {"k": 1}], ids=str)
def test_posteriors_are_those_of_the_definition(given):
    model = db.KDB(**given).fit(ROWS, LABELS)
    twin = Twin(model)
    expected = [twin.posterior(r) for r in range(len(ROWS))]
    assert model.predict_proba(ROWS) == pytest.approx(np.array(expected), abs=1e-12)
    assert max(len(chain.parents) for chain in model.structure_.chains) <= given.get("k", 3)


def test_leave_one_out_takes_each_row_out_of_all_levels():
    model = db.KDB(members=2).fit(ROWS, LABELS)
    twin = Twin(model)
    expected = [twin.posterior(r, is_left_out=True) for r in range(len(ROWS))]
    assert model.loo_predict_proba(ROWS, LABELS) == pytest.approx(np.array(expected), abs=1e-12)


def test_a_label_that_no_other_row_has_is_not_known_without_its_row():
    rows, labels = [*ROWS, ["fog", "cool", "high", "weak"]], [*LABELS, "no"]
    model = db.KDB(members=1, k=0, weights=None).fit(rows, labels)
    joint = np.log(model.loo_predict_proba(rows, labels)[-1])
    others = np.log(db.KDB(members=1, k=0, weights=None).fit([row[1:] for row in rows], labels).loo_predict_proba(
        [row[1:] for row in rows], labels
    )[-1])  # fmt: skip
    assert joint == pytest.approx(others, abs=1e-12)  # as if the column were not there


def test_it_learns_what_no_single_column_says():
    model = db.KDB().fit(AGREE, IS_SAME)
    assert model.predict(AGREE).tolist() == IS_SAME
    assert db.NaiveBayes().fit(AGREE, IS_SAME).score(AGREE, IS_SAME) < 0.8
    assert model.parents_["b"]["a"] > 0 and not model.parents_["a"]
    assert model.weights_["b"][1] > 1  # the parent is what counts


def test_parents_that_add_nothing_get_no_weight():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 5_000)
    table = {f"x{i}": rng.integers(0, 3, 5_000) * (rng.random(5_000) < 0.5) + y for i in range(5)}
    model = db.KDB(members=4).fit(table, y)
    assert np.mean([weights[1:] for weights in model.weights_.values()]) < 0.1
    assert np.mean([weights[0] for weights in model.weights_.values()]) == pytest.approx(1, abs=0.2)


def test_evidence_sums_to_the_joint():
    table, y = mixed()
    model = db.KDB(members=3).fit(table, y)
    evidence = model.evidence(table)
    assert evidence.joint == pytest.approx(model.predict_joint_log_proba(table), abs=1e-12)
    explained = model.explain(table.iloc[0])
    odds = model.predict_log_proba(table[:1])[0]
    best, next_best = np.sort(odds)[::-1][:2]
    assert explained.total_db == pytest.approx(10 * (best - next_best) / np.log(10))


def test_batches_merged_parts_and_forgotten_rows_give_the_same_model():
    table, y = mixed()
    first = db.KDB(members=3).fit(table, y)
    whole = db.KDB(structure=first.structure_).fit(table, y)
    assert np.array_equal(whole.predict_proba(table), first.predict_proba(table))
    batches = db.KDB(structure=first.structure_).partial_fit(table[:100], y[:100], classes=[0, 1, 2])
    batches.partial_fit(table[100:], y[100:])
    parts = db.KDB(structure=first.structure_).fit(table[:50], y[:50])
    parts.merge(db.KDB(structure=first.structure_).fit(table[50:], y[50:]))
    more = db.KDB(structure=first.structure_).fit(pd.concat([table, table[:7]]), [*y, *y[:7]])
    for model in (batches, parts, more.forget(table[:7], y[:7])):
        assert model.tally_ == whole.tally_
        assert np.array_equal(model.predict_proba(table), whole.predict_proba(table))


def test_merging_averages_the_weights_by_rows():
    table, y = mixed()
    first = db.KDB(members=2).fit(table, y)
    other = replace(first.structure_, weights=tuple((0.0,) * len(w) for w in first.structure_.weights), rows=900.0)
    merged = db.KDB(structure=first.structure_).fit(table, y).merge(db.KDB(structure=other).fit(table, y))
    assert merged.weights_["size"] == pytest.approx([0.25 * w for w in first.weights_["size"]])
    assert merged.structure_.rows == 1_200


def test_models_with_other_cuts_are_not_merged():
    table, y = mixed()
    first, second = db.KDB(members=2).fit(table, y), db.KDB(members=2, random_state=1).fit(table, y)
    assert not np.array_equal(first.predict_proba(table), second.predict_proba(table))
    with pytest.raises(ColumnMismatchError, match=r"structure=first\.structure_"):
        first.merge(second)


def test_whole_number_weights_repeat_rows():
    table, y = mixed()
    repeats = np.arange(len(y)) % 3
    again = np.repeat(np.arange(len(y)), repeats)
    structure = db.KDB(members=2).fit(table, y).structure_
    weighted = db.KDB(structure=structure).fit(table, y, sample_weight=repeats)
    repeated = db.KDB(structure=structure).fit(table.iloc[again], y[again])
    assert weighted.predict_proba(table) == pytest.approx(repeated.predict_proba(table), abs=1e-12)


def test_weights_that_are_no_whole_numbers():
    table, y = mixed()
    weights = np.where(y == 0, 0.5, 0.25)
    model = db.KDB(members=2).fit(table, y, sample_weight=weights)
    assert model.structure_.unit == pytest.approx(weights.mean())
    assert np.isfinite(model.loo_predict_proba(table, y, sample_weight=weights)).all()
    many = np.linspace(0.5, 1.5, len(y))
    model = db.KDB(members=2).fit(table, y, sample_weight=many)
    with pytest.raises(ParameterError, match="64 different sample weights"):
        model.loo_predict_proba(table, y, sample_weight=many)


def test_what_is_not_known_is_no_evidence():
    model = db.KDB().fit(AGREE, IS_SAME)
    known = model.predict_proba({"a": ["x"], "b": ["u"]})
    for row in ({"a": [None], "b": [None]}, {"a": ["new"], "b": ["new"]}):
        assert model.predict_proba(row) == pytest.approx(np.exp(model._prior)[None])
    alone = model.predict_proba({"a": [None], "b": ["u"]})  # without its parent, b says nothing
    assert alone == pytest.approx(0.5, abs=0.05) and known.max() > 0.9
    with pytest.raises(InputError, match="new"):
        db.KDB(unseen="error").fit(AGREE, IS_SAME).predict({"a": ["new"], "b": ["u"]})


def test_missing_values_are_states_where_fit_had_some():
    table = {"a": ["x", None] * 40, "b": list("uuvv") * 20}
    model = db.KDB().fit(table, [0, 1] * 40)
    assert model.predict({"a": ["x", None], "b": ["u", "u"]}).tolist() == [0, 1]
    with pytest.raises(ValueError, match="missing"):
        db.KDB(missing="error").fit(table, [0, 1] * 40)


def test_a_file_restores_the_model_bit_for_bit(tmp_path):
    table, y = mixed()
    model = db.KDB(members=2).fit(table, y)
    db.save(model, tmp_path / "kdb")
    loaded = db.load(tmp_path / "kdb")
    assert loaded.predict_proba(table).tobytes() == model.predict_proba(table).tobytes()
    assert loaded.structure_ == model.structure_
    db.save(db.KDB(structure=model.structure_).fit(table, y), tmp_path / "given")
    assert db.load(tmp_path / "given").partial_fit(table, y).tally_.total == 600


def test_a_file_with_an_impossible_structure_is_refused(tmp_path):
    table, y = mixed()
    model = db.KDB(members=2).fit(table, y)
    chains = model.structure_
    wrong = [
        replace(chains, weights=chains.weights[1:]),
        replace(chains, chains=(replace(chains.chains[0], view=99), *chains.chains[1:])),
        replace(chains, views=(replace(chains.views[0], column=9), *chains.views[1:])),
        replace(chains, unit=0.0),
    ]
    for spoilt in wrong:
        model._form = replace(model._form, chains=spoilt)
        db.save(model, tmp_path / "spoilt")
        with pytest.raises(FileError, match="cannot read it"):
            db.load(tmp_path / "spoilt")


def test_a_column_of_very_many_labels_is_no_parent():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4_000)
    table = {"street": rng.integers(0, 1_500, 4_000).astype(str), "a": rng.integers(0, 20, 4_000).astype(str)}
    model = db.KDB(members=4).fit(table, y)
    assert model.tally_.parts[0].cells.size < 1 << 14
    assert not model.parents_["a"] and not model.parents_["street"]


def test_numbers_make_smooth_evidence():
    table, y = load_wine(return_X_y=True)
    model = db.KDB().fit(table, y)
    line = np.repeat(table[:1], 200, axis=0)
    line[:, 12] = np.linspace(table[:, 12].min(), table[:, 12].max(), 200)
    evidence = model.evidence(line).columns[:, 12, 0]
    assert len(np.unique(evidence.round(9))) > 20  # one set of cuts would have a few steps


@pytest.mark.parametrize(
    "table",
    [{"a": [1.0] * 60}, {"a": [None] * 60}, {"a": [np.nan, 1.0] * 30}],
    ids=["one number", "nothing", "one number and missing"],
)
def test_columns_without_information(table):
    y = [0, 1] * 30
    model = db.KDB(members=2).fit({**table, "b": [0, 1, 2, 3, 4, 5] * 10}, y)
    assert np.isfinite(model.predict_proba({**table, "b": [0, 1, 2, 3, 4, 5] * 10})).all()


def test_one_class_and_few_rows():
    assert db.KDB().fit({"a": [1.5, 2.5]}, ["x", "x"]).predict({"a": [9.0]}).tolist() == ["x"]
    assert np.isfinite(db.KDB().fit({"a": [1.5, 2.5]}, ["x", "y"]).predict_proba({"a": [9.0]})).all()


def test_a_tally_needs_the_structure():
    table, y = mixed()
    model = db.KDB(members=2).fit(table, y)
    again = db.KDB.from_tally(model.tally_, structure=model.structure_)
    assert np.array_equal(again.predict_proba(table), model.predict_proba(table))
    with pytest.raises(ParameterError, match=r"structure=model\.structure_"):
        db.KDB.from_tally(model.tally_)
    with pytest.raises(ColumnMismatchError, match="structure has 3 columns"):
        db.KDB(structure=model.structure_).fit({"a": [1, 2]}, [0, 1])


def test_calibration_is_on_rows_left_out():
    rng = np.random.default_rng(0)
    table, y = {f"x{i}": rng.integers(0, 4, 80) for i in range(6)}, rng.integers(0, 2, 80)
    model = db.KDB(weights=None, members=2).fit(table, y)
    seen = np.log(model.predict_proba(table)[np.arange(80), y]).mean()
    left_out = np.log(model.loo_predict_proba(table, y)[np.arange(80), y]).mean()
    assert left_out < seen - 0.15
    assert model.calibrate(table, y).calibration_.value > 2  # noise: the posteriors go back to the priors
