"""A saved model is the same model: it predicts the same bits and goes on learning; a bad file gives one clear error."""

import os
import warnings
from datetime import date, datetime
from inspect import isabstract
from pathlib import PurePosixPath

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import save_file

import deciban as db
from deciban import estimate
from deciban.errors import FileError, ParameterError, UnfittedError
from deciban.storable import STORED, registered
from deciban.storage import codec
from deciban.storage.model_files import file_bytes, read_file, read_notes
from deciban.tallies import Counts, Crossed, Moments, Sketch, Terms, WithMissing
from deciban.text import Bag

rng = np.random.default_rng(0)
N, P = 60, 4
NUMBERS = rng.normal(size=(N, P)) * [1, 10, 0.01, 1e5]
CODES = rng.integers(0, 4, (N, P))
GAPS = np.where(rng.uniform(size=(N, P)) < 0.2, np.nan, CODES)
NAMED = pd.DataFrame(NUMBERS, columns=["a", "b", "ç", 'd"\\'])
MIXED = pd.DataFrame(
    {
        "sky": np.array(["sun", "rain", "schnee ❄", "fog"])[CODES[:, 0]],
        "count": CODES[:, 1],
        "size": np.exp(NUMBERS[:, 0]),
        "flag": CODES[:, 2] > 1,
        "day": [date(2024, 2, 26 + code) for code in CODES[:, 3]],
        "when": pd.to_datetime(["2024-01-01 12:30:00"] * N) + pd.to_timedelta(CODES[:, 0], "D"),
    }
)
MIXED_GAPS = MIXED.assign(
    sky=MIXED["sky"].where(CODES[:, 1] > 0, None), size=np.where(CODES[:, 2] > 0, GAPS[:, 0], 0.5)
)
KINDS = {
    "count": db.Poisson(missing="error"),
    "size": db.LogNormal(strength=3.0),
    "flag": db.Bernoulli(threshold=0.5, smoothing=db.Jeffreys()),
    "sky": db.Categorical(smoothing=db.MEstimate(2.0, (0.1, 0.2, 0.3, 0.4)), unseen="ignore"),
    "day": db.Ignore(),
}
NORMAL = {"size": db.Gaussian()}
LOSS = 1.0 - np.eye(3) * [1, 2, 3]
THIRDS = np.array([0.2, 0.3, 0.5])
PLACES = rng.integers(0, 3, N)
PLACES[:3] = [0, 1, 2]
Y = np.array(["no", "perhaps", "yes"])[PLACES]

MODELS = {
    "gaussian": (db.GaussianNB(), NUMBERS),
    "gaussian-single": (db.GaussianNB(priors=THIRDS), NUMBERS.astype("f4")),
    "gaussian-named": (db.GaussianNB(var_smoothing=1e-3, priors=[0.2, 0.3, 0.5]), NAMED),
    "gaussian-gaps": (db.GaussianNB(missing="skip"), GAPS),
    "multinomial": (db.MultinomialNB(alpha=np.array([1, 2, 0.5, 0.1]), class_prior=pd.Series(THIRDS)), CODES),
    "complement": (db.ComplementNB(norm=True, fit_prior=False), CODES),
    "bernoulli": (db.BernoulliNB(alpha=np.float32(0.1), binarize=1.0, missing="skip"), GAPS),
    "categorical": (db.CategoricalNB(min_categories=[5, 4, 4, 9]), CODES),
    "categorical-wide": (db.CategoricalNB(missing="skip"), GAPS * 10_000_000),
    "categorical-labels": (db.CategoricalNB(alpha=0, unseen="ignore"), CODES.astype(str)),
    "categorical-frame": (db.CategoricalNB(), MIXED[["sky", "count", "flag", "day"]]),
    "joint": (db.JointBayes(prior_smoothing=db.MEstimate(2.0, THIRDS), loss=LOSS), CODES[:, :2]),
    "joint-mixed": (db.JointBayes(smoothing=db.Lidstone(0.5), reject=0.4), MIXED[["sky", "day", "flag"]]),
    "naive": (db.NaiveBayes(NORMAL), MIXED),
    "naive-array": (db.NaiveBayes(db.Gaussian(tie="class"), loss=LOSS.tolist()), NUMBERS),
    "naive-gaps": (db.NaiveBayes(NORMAL, missing="state", na_values=["fog", -1, float("inf")]), MIXED_GAPS),
    "naive-states": (db.NaiveBayes({"size": db.Exponential(), "flag": db.Bernoulli()}, missing="state"), MIXED_GAPS),
    "naive-kinds": (db.NaiveBayes(KINDS, priors=db.MEstimate(3.0), reject=db.Reject(posterior=0.5)), MIXED),
    "naive-sketches": (db.NaiveBayes({"size": estimate.Kernel(), "count": estimate.NegativeBinomial()}), MIXED),
    "naive-binned": (db.NaiveBayes({"size": estimate.Binned(bins=4), "count": db.Exponential()}), MIXED),
    "naive-prior": (
        db.NaiveBayes(NORMAL, priors={"no": 0.5, "perhaps": 0.25, "yes": 0.25}, rule="ml"),
        MIXED,
    ),
}
CLASSES = {
    "text": np.array(["a", "bé", "c\udc80"]),
    "objects": np.array(["a", "b", "c"], dtype=object),
    "mixed": np.array(["a", date(2024, 1, 1), ("b", 1)], dtype=object),
    "int64": np.array([-1, 5, 2**40]),
    "int8": np.array([-1, 0, 1], dtype=np.int8),
    "big-endian": np.array([1, 2, 3], dtype=">i4"),
    "bool": np.array([False, True, True]),
    "float": np.array([0.0, 1.0, 2.0]),
    "dates": np.array(["2024-01-01", "2024-01-02", "2024-01-03"], dtype="M8[D]"),
}
cases = pytest.mark.parametrize("name", MODELS)


def fitted(name, rows=slice(None)):
    model, data = MODELS[name]
    return type(model)(**model.get_params(deep=False)).fit(take(data, rows), Y[rows])


def take(data, rows):
    return data.iloc[rows] if isinstance(data, pd.DataFrame) else data[rows]


def through_file(model, folder):
    db.save(model, folder / "model.deciban")
    return db.load(folder / "model.deciban")


def same(a, b, data):
    assert type(a) is type(b)
    assert a.classes_.dtype == b.classes_.dtype and a.classes_.tolist() == b.classes_.tolist()
    assert list(map(type, a.classes_.tolist())) == list(map(type, b.classes_.tolist()))
    assert a.tally_ == b.tally_ and a._form == b._form
    for method in ("predict_proba", "predict_joint_log_proba"):
        assert getattr(a, method)(data).tobytes() == getattr(b, method)(data).tobytes()
    assert a.predict(data).tolist() == b.predict(data).tolist()


@cases
def test_a_loaded_model_predicts_the_same_bits(name, tmp_path):
    model = fitted(name)
    loaded = through_file(model, tmp_path)
    same(loaded, model, MODELS[name][1])
    assert repr(loaded.get_params()) == repr({**model.get_params(), **_arrays(model)})
    assert getattr(loaded, "feature_names_in_", None) is None or list(loaded.feature_names_in_) == list(loaded._names())


def _arrays(model):
    """Parameters that are like arrays come back as arrays."""
    return {k: np.asarray(v) for k, v in model.get_params().items() if isinstance(v, pd.Series)}


@cases
def test_a_loaded_model_goes_on_learning_like_the_original(name, tmp_path):
    data, half = MODELS[name][1], slice(0, 45)
    model = fitted(name, half)
    loaded = through_file(model, tmp_path)
    more, other = take(data, slice(45, None)), type(model)(**model.get_params(deep=False)).fit(data, Y)
    for step in ("partial_fit", "forget"):
        for each in (model, loaded):
            getattr(each, step)(more, Y[45:])
        same(loaded, model, data)
    same(loaded.merge(other), model.merge(other), data)


@pytest.mark.parametrize("name", CLASSES)
def test_classes_keep_their_types(name, tmp_path):
    labels = CLASSES[name]
    model = db.GaussianNB().fit(NUMBERS, labels[PLACES])
    same(through_file(model, tmp_path), model, NUMBERS)


def test_weighted_and_decayed_counts_are_kept(tmp_path):
    model = db.NaiveBayes().fit(MIXED, Y, sample_weight=rng.uniform(0, 2, N)).decay(0.9)
    same(through_file(model, tmp_path), model, MIXED)


@pytest.mark.parametrize("method", ["temperature", "isotonic"])
def test_a_calibration_is_kept(tmp_path, method):
    model = fitted("naive").calibrate(MIXED, Y, method=method)
    assert model.predict_proba(MIXED).tolist() != fitted("naive").predict_proba(MIXED).tolist()
    same(through_file(model, tmp_path), model, MIXED)


def test_text_with_types_among_labels_stays_what_it_was(tmp_path):
    values = np.array([1, "1", True, None, 2.5, datetime(2024, 1, 1, 12), np.float32(0.5), np.str_("x")], dtype=object)
    X, y = values[:, None], ["a", "b"] * 4
    model = db.NaiveBayes(db.Categorical(), missing="skip").fit(X, y)
    loaded = through_file(model, tmp_path)
    same(loaded, model, X)
    kept = loaded.tally_.parts[0].variable.labels.tolist()
    assert list(map(type, kept)) == list(map(type, model.tally_.parts[0].variable.labels.tolist()))


def test_every_distribution_smoothing_and_part_can_be_saved():
    exported = [getattr(estimate, name) for name in estimate.__all__]
    kinds = [kind for kind in exported if isinstance(kind, type) and not isabstract(kind)]
    for base in (estimate.ColumnDistribution, estimate.Smoothing):
        assert {kind for kind in kinds if issubclass(kind, base)} <= set(registered(base))
    for cls in (Bag, Counts, Crossed, WithMissing, Moments, Sketch, Terms, db.Text, db.BDeu, db.Reject):
        assert STORED[cls.__name__].cls is cls


def test_the_same_model_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        db.save(fitted("naive"), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


DOCUMENTS = ["sun and sea", "sea, sand", "rain and wind", "wind é", "hail", "sand"] * 3
WEATHER = ["dry", "dry", "wet", "wet", "cold", "dry"] * 3


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "settings", [{}, {"classifier": "svm", "ngram_range": (1, 3), "analyzer": "word", "beta": 0.5}]
)
def test_log_count_ratios_are_kept(tmp_path, settings, classes):
    kept = [i for i, label in enumerate(WEATHER) if classes == 3 or label != "cold"]
    model = db.LogCountRatio(**settings).fit([DOCUMENTS[i] for i in kept], [WEATHER[i] for i in kept])
    loaded = through_file(model, tmp_path)
    assert loaded.get_params() == model.get_params()
    assert loaded.decision_function(DOCUMENTS).tobytes() == model.decision_function(DOCUMENTS).tobytes()
    assert loaded.predict(DOCUMENTS).tolist() == model.predict(DOCUMENTS).tolist()
    assert loaded.tally_ == model.tally_
    assert loaded.explain("sea").total_db == model.explain("sea").total_db


@pytest.mark.parametrize("base", [None, db.TextNB("boolean", ngram_range=(1, 2), smoothing=db.Lidstone(0.3), min_df=2)])
def test_semi_supervised_models_are_kept(tmp_path, base):
    labels = [None if i % 2 else label for i, label in enumerate(WEATHER)]
    model = db.TextEM(base, unlabelled_weight=0.5).fit(DOCUMENTS, labels)
    loaded = through_file(model, tmp_path)
    assert repr(loaded) == repr(model)
    assert loaded.predict_proba(DOCUMENTS).tobytes() == model.predict_proba(DOCUMENTS).tobytes()
    assert loaded.transduction_.tolist() == model.transduction_.tolist()
    assert (loaded.log_likelihoods_, loaded.n_iter_) == (model.log_likelihoods_, model.n_iter_)


def test_text_models_that_cannot_be_saved_say_why(tmp_path):
    for model in (db.LogCountRatio(), db.AutoText(), db.TextEM()):
        with pytest.raises(UnfittedError):
            db.save(model, tmp_path / "model")
    with pytest.raises(ParameterError, match=r"parameter 'tokenizer' holds .*split"):
        db.save(db.LogCountRatio(tokenizer=str.split).fit(DOCUMENTS, WEATHER), tmp_path / "model")
    with pytest.raises(ParameterError, match="parameter 'progress' holds"):
        db.save(db.TextEM(progress=lambda step, value: None).fit(DOCUMENTS, WEATHER), tmp_path / "model")
    assert not list(tmp_path.iterdir())


# What cannot be saved -------------------------------------------------------------------------------------------------


def test_an_unfitted_model_is_not_saved(tmp_path):
    with pytest.raises(UnfittedError):
        db.save(db.NaiveBayes(), tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_a_label_that_cannot_be_written_names_its_column(tmp_path):
    X = pd.DataFrame({"part": pd.Series([PurePosixPath("a"), PurePosixPath("b")], dtype=object)})
    model = db.NaiveBayes().fit(X, [0, 1])
    with pytest.raises(ParameterError, match=r"column 'part' holds PurePosixPath\('a'\), a PurePosixPath"):
        db.save(model, tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_a_model_of_ones_own_is_not_saved(tmp_path):
    class MyNB(db.GaussianNB):
        pass

    with pytest.raises(ParameterError, match="a MyNB cannot be saved"):
        db.save(MyNB().fit(NUMBERS, Y), tmp_path / "model")


# Bad files ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "model.deciban"
    db.save(fitted("naive-kinds"), path)
    return path.read_bytes()


def refused(tmp_path, raw, match):
    path = tmp_path / "bad.deciban"
    path.write_bytes(raw)
    with pytest.raises(FileError, match=match) as caught:
        db.load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.75, 0.9, 0.999])
def test_a_truncated_file_says_so(whole, tmp_path, share):
    refused(tmp_path, whole[: int(len(whole) * share)], "truncated")


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 30])
def test_a_file_cut_off_in_its_first_bytes_is_no_deciban_file(whole, tmp_path, length):
    refused(tmp_path, whole[:length], "not a deciban file")


def test_one_byte_less_or_more_is_noticed(whole, tmp_path):
    refused(tmp_path, whole[:-1], "truncated")
    refused(tmp_path, whole + b"\0", "damaged")


@pytest.mark.parametrize("step", range(40))
def test_a_flipped_bit_is_noticed_wherever_it_is(whole, tmp_path, step):
    at = step * (len(whole) - 1) // 39
    for bit in range(8):
        raw = bytearray(whole)
        raw[at] ^= 1 << bit
        refused(tmp_path, bytes(raw), "damaged|truncated|not a deciban file")


def test_a_flipped_bit_in_the_first_bytes_is_noticed(whole, tmp_path):
    for at in range(120):
        raw = bytearray(whole)
        raw[at] ^= 1
        refused(tmp_path, bytes(raw), "damaged|truncated|not a deciban file")


@pytest.mark.parametrize(("version", "advice"), [(3, "Update deciban"), (1, "Fit the model again")])
def test_a_file_of_another_version_names_both_versions(version, advice, tmp_path, monkeypatch):
    path = tmp_path / "model"
    with monkeypatch.context() as patch:
        patch.setattr(codec, "VERSION", version)
        patch.setattr(codec, "own_version", lambda: "9.8.7")
        db.save(fitted("gaussian"), path)
    message = rf"version {version} .* deciban 9\.8\.7; deciban {db.__version__} .* version 2\. {advice}"
    with pytest.raises(FileError, match=message):
        db.load(path)


def test_a_kind_that_is_not_known_is_named(tmp_path, monkeypatch):
    path = tmp_path / "model"
    db.save(fitted("naive-kinds"), path)
    monkeypatch.delitem(STORED, "LogNormal")
    with pytest.raises(FileError, match="it holds a LogNormal, which is not known here"):
        db.load(path)


def test_other_files_are_refused(tmp_path, monkeypatch):
    refused(tmp_path, b"a,b,c\n1,2,3\n" * 100, "not a deciban file")
    save_file({"x": np.zeros(3)}, tmp_path / "other", metadata={"made": "elsewhere"})
    refused(tmp_path, (tmp_path / "other").read_bytes(), "not a deciban file")
    with monkeypatch.context() as patch:
        patch.setattr(codec, "FORMAT", "deciban net")
        db.save(fitted("gaussian"), tmp_path / "net")
    refused(tmp_path, (tmp_path / "net").read_bytes(), "not a deciban model, but a deciban net")


def test_a_path_without_a_file_is_the_usual_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        db.load(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError):
        db.save(fitted("gaussian"), tmp_path / "nowhere" / "model")


@pytest.mark.parametrize("call", ["replace", "fsync"])
def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, call):
    path = tmp_path / "model"
    db.save(fitted("gaussian"), path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(OSError, match="disk full"):
        db.save(fitted("naive"), path)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["model"]


def test_a_warning_at_fit_does_not_stop_a_load(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = db.MultinomialNB(alpha=0, force_alpha=False).fit(CODES, Y)
        same(through_file(model, tmp_path), model, CODES)


def test_notes_stand_beside_the_model_and_do_not_change_it(tmp_path):
    model, path = db.GaussianNB().fit(NUMBERS, Y), tmp_path / "noted.deciban"
    path.write_bytes(file_bytes(model, {"journal": {"id": "a1", "position": 7}}))
    held = read_file(path)
    assert held.notes == {"journal": {"id": "a1", "position": 7}}
    assert read_notes(path) == (held.notes, held.checksum)
    assert held.model.tally_ == db.load(path).tally_ == model.tally_
    db.save(db.load(path), path)
    assert read_notes(path)[0] == {}


def test_two_files_of_one_model_have_one_checksum_only_if_their_notes_are_equal(tmp_path):
    model = db.GaussianNB().fit(NUMBERS, Y)
    checksums = []
    for notes in ({}, {}, {"journal": {"position": 1}}):
        (tmp_path / "a.deciban").write_bytes(file_bytes(model, notes))
        checksums.append(read_notes(tmp_path / "a.deciban")[1])
    assert checksums[0] == checksums[1] != checksums[2]
