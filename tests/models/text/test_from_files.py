"""Documents in files are learned as `fit` learns them in memory, however the files are cut."""

import json
import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather

import deciban as db
from deciban.engines.files import json_lines
from deciban.errors import (
    CheckpointError,
    ColumnMismatchError,
    DecibanWarning,
    InputError,
    InputTypeError,
    ParameterError,
    SourceError,
)
from deciban.models.text import counting_in_parts as from_files
from deciban.models.text.counting_in_parts import DocumentCounting, TextTotal
from deciban.read import read_target, read_weights
from deciban.read.documents import read_documents
from deciban.tallies import Sample
from deciban.text import Analyzer

WORDS = ["sun", "rain", "hail", "snow", "wind", "café", "日本", "a-b", 'quoted "word"', "line\nend"]
SETTINGS = [
    {},
    {"event": "multinomial"},
    {"event": "bernoulli"},
    {"event": "complement"},
    {"ngram_range": (1, 2)},
    {"n_bits": 6},
    {"analyzer": "char", "ngram_range": (2, 3)},
    {"tokenizer": str.split},
]

sentences = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
rows = st.lists(st.tuples(sentences, st.sampled_from("abc"), st.sampled_from([0.0, 0.5, 2.0])), min_size=1, max_size=20)


def table_of(pairs):
    documents, labels, weights = zip(*pairs, strict=True)
    return pa.table({"text": documents, "label": labels, "weight": weights})


def written(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def corpus(many=400, seed=0):
    draw = np.random.default_rng(seed)
    labels = draw.choice(["ham", "spam", "news"], many)
    shift = {"ham": 0, "spam": 15, "news": 30}
    words = [draw.integers(0, 40, draw.integers(0, 30)) + shift[label] for label in labels.tolist()]
    return [
        {"id": i, "text": " ".join(f"w{w}" for w in found), "label": label, "weight": 0.5 + i % 3}
        for i, (found, label) in enumerate(zip(words, labels.tolist(), strict=True))
    ]


RECORDS = corpus()
X, Y = [r["text"] for r in RECORDS], pd.Series([r["label"] for r in RECORDS], name="label")
WEIGHTS = [r["weight"] for r in RECORDS]


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(json_lines, "_BLOCK", 2000)


@given(rows, st.lists(st.integers(0, 20), max_size=4), st.sampled_from(SETTINGS), st.booleans())
def test_batches_of_any_size_add_up_to_the_tally_of_fit(pairs, cuts, settings, weighted):
    table, model = table_of(pairs), db.TextNB(**settings)
    documents = read_documents(table["text"])
    text_settings = model._settings_for(documents)
    counting = DocumentCounting(text_settings.analyzer, "text", "label", "weight" if weighted else None, model.n_bits)
    edges = [0, *sorted(min(cut, len(table)) for cut in cuts), len(table)]
    batches = [table.slice(a, b - a) for a, b in pairwise(edges) if b > a]
    total = sum(map(counting, batches[1:]), counting(batches[0]))
    y = pd.Series(table["label"].to_pylist(), name="label")
    weights = read_weights(table["weight"].to_numpy() if weighted else None, len(documents))
    assert total.tally == text_settings.count(documents, Sample.of(read_target(y, len(documents)), weights))


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_model_of_files_is_that_of_fit(settings, weighted, tmp_path, small_pieces):
    files = [written(tmp_path / "a.jsonl", RECORDS[:150]), written(tmp_path / "b.jsonl", RECORDS[150:])]
    found = db.TextNB(**settings).fit_files(files, sample_weight="weight" if weighted else None)
    expected = db.TextNB(**settings).fit(X, Y, WEIGHTS if weighted else None)
    assert found.tally_ == expected.tally_
    assert found.temperature_ == pytest.approx(expected.temperature_, rel=1e-9)
    assert found.predict_proba(X[:50]) == pytest.approx(expected.predict_proba(X[:50]), rel=1e-9)
    assert found.analyzer_ == expected.analyzer_


def test_all_formats_give_the_same_model(tmp_path, small_pieces):
    table = pa.Table.from_pylist([record for record in RECORDS if record["text"]])
    written(tmp_path / "a.jsonl", table.to_pylist())
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=90)
    feather.write_feather(table, tmp_path / "a.feather")
    table.to_pandas().to_csv(tmp_path / "a.csv", index=False)
    first, *others = (db.TextNB().fit_files(tmp_path / f"a.{end}") for end in ("jsonl", "parquet", "feather", "csv"))
    assert first.tally_.total == len(table)
    assert all(other.tally_ == first.tally_ for other in others)


def test_what_is_not_counted_is_learned_from_a_sample(tmp_path, monkeypatch):
    file = written(tmp_path / "a.jsonl", RECORDS)
    monkeypatch.setattr(from_files, "SAMPLE", 60)
    found, whole = db.TextNB().fit_files(file), db.TextNB().fit(X, Y)
    assert found.tally_ == whole.tally_
    assert found.temperature_ == pytest.approx(whole.temperature_, rel=0.5)
    spaceless = [{"text": "今天天气很好", "label": i % 2} for i in range(300)]
    assert db.TextNB().fit_files(written(tmp_path / "b.jsonl", spaceless)).analyzer_ == "char"


def test_a_class_may_occur_in_the_last_piece_only(tmp_path, small_pieces):
    file = written(tmp_path / "a.jsonl", [*RECORDS, {"text": "quite new", "label": "rare"}])
    model = db.TextNB().fit_files(file)
    assert model.classes_.tolist() == ["ham", "news", "rare", "spam"]
    assert model.tally_ == db.TextNB().fit([*X, "quite new"], pd.Series([*Y, "rare"], name="label")).tally_


def test_labels_may_be_numbers(tmp_path):
    file = written(tmp_path / "a.jsonl", [{"body": text, "class": i % 2} for i, text in enumerate(X)])
    model = db.TextNB().fit_files(file, text="body", target="class")
    assert model.classes_.tolist() == [0, 1]
    assert model.classes_.dtype.kind == "i"


# A limit on the number of tokens ------------------------------------------------------------------------------------


def test_max_terms_keeps_the_most_frequent_tokens_and_states_its_error(tmp_path, small_pieces):
    draw = np.random.default_rng(1)
    words = np.minimum(draw.zipf(1.3, (600, 20)), 5000)
    records = [{"text": " ".join(f"w{w}" for w in row), "label": "ab"[i % 2]} for i, row in enumerate(words.tolist())]
    file = written(tmp_path / "a.jsonl", records)
    exact = db.TextNB().fit_files(file).tally_.parts[0]
    model = db.TextNB(max_terms=150).fit_files(file)
    bag = model.tally_.parts[0]
    assert bag.size == 150
    assert bag.error > 0
    truth = dict(zip(exact.vocabulary, exact.sums().tolist(), strict=True))
    counts = dict(zip(bag.vocabulary, bag.sums().tolist(), strict=True))
    assert all(0 <= truth[token] - count <= bag.error for token, count in counts.items())
    assert all(token in counts for token, count in truth.items() if count > bag.error)
    top = [exact.token(t) for t in exact.largest(exact.sums(), 20).tolist()]
    assert all(counts[token] == truth[token] for token in top)
    assert model.tally_.class_counts.tolist() == [300, 300]


def test_max_terms_does_not_depend_on_the_number_of_threads(tmp_path, small_pieces, monkeypatch):
    file = written(tmp_path / "a.jsonl", RECORDS)
    found = []
    for workers in (1, 2, 5):
        monkeypatch.setattr("deciban.engines.files.source.threads", lambda workers=workers: workers)
        found.append(db.TextNB(max_terms=20).fit_files(file).tally_)
    assert found[0] == found[1] == found[2]


def test_totals_with_a_limit_can_be_added_and_forget_what_they_can():
    counting = DocumentCounting(Analyzer.of(), "text", "label", max_terms=2)
    a = counting(pa.table({"text": ["sun sun sun rain rain", "hail hail"], "label": ["x", "y"]}))
    b = counting(pa.table({"text": ["hail hail hail", "snow wind"], "label": ["x", "y"]}))
    both = a + b
    assert isinstance(both, TextTotal)
    assert sorted(both.tally.parts[0].vocabulary) == ["hail", "sun"]  # of five, more than twice the limit
    assert both.tally.parts[0].error == 2
    left = both.tally - b.tally  # snow and wind were dropped
    assert dict(zip(left.parts[0].vocabulary, left.parts[0].sums().tolist(), strict=True)) == {"sun": 3, "hail": 2}


@pytest.mark.parametrize("event", ["bernoulli", "complement", "boolean"])
def test_a_temperature_is_learned_with_a_limit(event):
    model = db.TextNB(event, max_terms=15).fit(X, Y)
    assert model.tally_.parts[0].size == 15
    assert model.temperature_ >= 1.0


# Bad input ------------------------------------------------------------------------------------------------------------


def test_a_row_without_document_or_label_is_named_or_skipped(tmp_path, small_pieces):
    records = [*RECORDS[:200], {"label": "ham"}, *RECORDS[200:], {"text": "no label", "label": None}]
    file = written(tmp_path / "a.jsonl", records)
    with pytest.raises(SourceError, match=r"a\.jsonl, line 201: column 'text' has no value"):
        db.TextNB().fit_files(file)
    with pytest.warns(DecibanWarning, match=r"2 rows .* line 201: .* line 402: column 'label' has no value"):
        model = db.TextNB().fit_files(file, on_bad_row="skip")
    assert model.tally_ == db.TextNB().fit(X, Y).tally_


def test_lines_that_cannot_be_read_are_skipped(tmp_path, small_pieces):
    file = written(tmp_path / "a.jsonl", RECORDS)
    good = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text(
        "".join([*good[:7], '{"text": "half\n', *good[7:], '{"text": 5, "label": "ham"}\n']), encoding="utf-8"
    )
    with pytest.raises(SourceError, match="line 8: it is not a JSON object"):
        db.TextNB().fit_files(file)
    with pytest.warns(DecibanWarning, match="2 rows .* line 8: .* line 402: column 'text' has a number, not a string"):
        assert db.TextNB().fit_files(file, on_bad_row="skip").tally_ == db.TextNB().fit(X, Y).tally_


def test_a_line_of_a_csv_file_is_named(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text('text,label\n"two\nlines",ham\nsun,\nrain,spam\n', encoding="utf-8")
    with pytest.raises(SourceError, match=r"a\.csv, line 4: column 'label' has no value"):
        db.TextNB().fit_files(file)


def test_a_row_of_a_table_without_label_is_named_or_skipped(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("x,y\n1.5,a\n2.5,b\n3.5,\n4.5,a\n", encoding="utf-8")
    with pytest.raises(SourceError, match=r"a\.csv, line 4: column 'y' has no value"):
        db.GaussianNB().fit_files(file, target="y")
    with pytest.warns(DecibanWarning, match="1 row .* line 4: column 'y' has no value"):
        model = db.GaussianNB().fit_files(file, target="y", on_bad_row="skip")
    assert model.tally_.class_counts.tolist() == [2, 1]


def test_an_error_leaves_the_model_as_it_was(tmp_path, small_pieces):
    model = db.TextNB(n_bits=8).fit(X, Y)
    before = model.predict_proba(X[:5])
    bad = written(tmp_path / "a.jsonl", [*RECORDS, {"text": "sun"}])
    numbers = written(tmp_path / "b.jsonl", [{"text": 5, "label": "a"}])
    empty = written(tmp_path / "c.jsonl", [{"text": "", "label": "a"}] * 3)
    for call, error, message in (
        (lambda: model.fit_files(bad), SourceError, "line 401"),
        (lambda: model.fit_files(bad, text="txt"), ColumnMismatchError, "'txt'.*'text'"),
        (lambda: model.fit_files(numbers), InputTypeError, "holds int64, not text"),
        (lambda: model.fit_files(empty), InputError, "empty vocabulary"),
        (lambda: db.TextNB("twcnb").fit_files(bad), ParameterError, "twcnb"),
    ):
        with pytest.raises(error, match=message):
            call()
        assert np.array_equal(model.predict_proba(X[:5]), before)


def test_an_interrupted_count_goes_on(tmp_path, small_pieces):
    file, checkpoint = written(tmp_path / "a.jsonl", RECORDS), tmp_path / "fit.ckpt"

    class StopError(Exception):
        pass

    def stop(step):
        if step.rows > 150:
            raise StopError

    for settings in ({}, {"max_terms": 20}, {"n_bits": 5}):
        with pytest.raises(StopError):
            db.TextNB(**settings).fit_files(file, checkpoint=checkpoint, progress=stop)
        with pytest.raises(CheckpointError, match="another model"):
            db.TextNB("multinomial", lowercase=False).fit_files(file, checkpoint=checkpoint)
        model = db.TextNB(**settings).fit_files(file, checkpoint=checkpoint)
        assert model.tally_ == db.TextNB(**settings).fit_files(file).tally_
        assert not checkpoint.exists()


def test_a_counting_is_sent_to_other_processes():
    counting = DocumentCounting(Analyzer.of(ngram_range=(1, 2)), "text", "label", None, None, 30)
    assert pickle.loads(pickle.dumps(counting)) == counting  # noqa: S301


def test_a_text_column_of_naive_bayes_is_counted_from_files(tmp_path, small_pieces):
    records = [{"text": r["text"], "hour": float(r["id"] % 24), "label": r["label"]} for r in RECORDS]
    file = written(tmp_path / "a.jsonl", records)
    columns = {"text": db.Text(), "hour": db.Gaussian()}
    found = db.NaiveBayes(columns=columns).fit_files(file, target="label")
    expected = db.NaiveBayes(columns=columns).fit(pa.Table.from_pylist(records), "label")
    assert found.tally_ == expected.tally_
    assert found.predict_proba(records[:20]) == pytest.approx(expected.predict_proba(records[:20]), rel=1e-9)
