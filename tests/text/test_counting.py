"""The text kernels count, score and arrange as their twins do, whatever the threads, blocks and kinds of documents."""

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

from deciban.errors import InputTypeError
from deciban.text import TokenRules, kernels
from deciban.text.analyzer import ngrams
from deciban.text.kernels import Vocabulary
from tests.reference import text as twin

pytestmark = pytest.mark.usefixtures("each_instruction_set")

# Long ones, ones that begin alike, ones whose text must be copied to be read.
WORDS = [
    "to", "be", "or", "not", "bee", "that", "is", "the", "question", "sixteenbytesword", "seventeenbytesword",
    "averyverylongwordwithatailofitsown", "averyverylongwordwithatailofitsowm",
    "café", "naïve", "жить", "日本語日本語日本",
]  # fmt: skip
RULES = [TokenRules(), TokenRules(ngram_range=(1, 2)), TokenRules(ngram_range=(2, 2)), TokenRules(ngram_range=(2, 3))]

texts = st.lists(st.sampled_from(WORDS), max_size=12).map(", ".join)
rules = st.sampled_from(RULES)


@st.composite
def samples(draw):
    documents = draw(st.lists(texts, max_size=12))
    classes = draw(st.integers(1, 4))
    codes = draw(st.lists(st.integers(0, classes - 1), min_size=len(documents), max_size=len(documents)))
    return documents, np.array(codes, dtype=np.int32), classes


def analyzer(rules):
    return lambda text: ngrams(re.findall(r"\b\w\w+\b", text.lower()), *rules.ngram_range)


def by_class(counts, values, names):
    return {
        (j, names[counts.indices[k]]): values[k]
        for j in range(len(counts.starts) - 1)
        for k in range(counts.starts[j], counts.starts[j + 1])
    }


def parts(counts):
    vocabulary = counts.vocabulary or Vocabulary.of([])
    return [
        vocabulary.bytes,
        vocabulary.offsets,
        counts.starts,
        counts.indices,
        counts.occurrences,
        counts.documents,
        counts.lengths,
    ]


def same(a, b):
    return all(x.dtype == y.dtype and np.array_equal(x, y) for x, y in zip(parts(a), parts(b), strict=True))


@given(samples(), rules, st.booleans())
def test_counts_are_those_of_the_twin(sample, rules, weighted):
    documents, codes, classes = sample
    weights = np.linspace(0.0, 2.0, len(documents)) if weighted else None
    counts = kernels.count_documents(documents, codes, classes, rules, weights=weights)
    names, occurrences, present = twin.count_documents(documents, codes.tolist(), analyzer(rules), weights)
    assert list(counts.vocabulary) == names
    assert counts.size == len(counts.vocabulary) == len(names)
    assert by_class(counts, counts.occurrences, names) == occurrences
    assert by_class(counts, counts.documents, names) == present
    assert counts.occurrences.dtype == (np.float64 if weighted else np.int64)
    assert counts.lengths.tolist() == [len(analyzer(rules)(text)) for text in documents]
    for j in range(classes):
        assert np.all(np.diff(counts.indices[counts.starts[j] : counts.starts[j + 1]].astype(np.int64)) > 0)


@given(samples(), st.sampled_from(RULES), st.sampled_from([1, 3, 12]))
def test_hashed_counts_are_those_of_the_tokens_with_that_hash(sample, rules, bits):
    documents, codes, classes = sample
    exact = kernels.count_documents(documents, codes, classes, rules)
    hashed = kernels.count_documents(documents, codes, classes, rules, hashed_bits=bits)
    assert hashed.vocabulary is None and hashed.size == 2**bits
    names = list(exact.vocabulary)
    places = {name: hashed_place(name, rules, bits) for name in names}
    sums = {}
    for (j, name), count in by_class(exact, exact.occurrences, names).items():
        sums[j, places[name]] = sums.get((j, places[name]), 0) + count
    assert by_class(hashed, hashed.occurrences, range(2**bits)) == sums
    assert np.array_equal(hashed.lengths, exact.lengths)


def hashed_place(name, rules, bits):
    size = len(name.split())
    alone = kernels.document_terms([name], TokenRules(ngram_range=(size, size)), index=bits)
    return int(alone.indices[0])


def test_counts_do_not_depend_on_threads_or_on_the_kind_of_documents(any_threads):
    rng = np.random.default_rng(0)
    documents = [" ".join(rng.choice(WORDS, rng.integers(0, 40))) + " né" * (d % 3) for d in range(400)]
    codes = rng.integers(0, 3, 400).astype(np.int32)
    weights = rng.uniform(size=400)
    encoded = [text.encode() for text in documents]
    kinds = [documents, tuple(documents), encoded, np.array(documents, dtype=object)]
    kinds += [pa.array(documents), pa.array(documents, pa.large_string()), pa.array(["other", *documents])[1:]]
    kinds += [pa.chunked_array([documents[:7], [], documents[7:]]), pa.array(documents).dictionary_encode()]
    kinds += [pd.Series(documents), pl.Series(documents)]
    for rules in RULES:
        for given_weights in (None, weights):
            any_threads(1)
            first = kernels.count_documents(documents, codes, 3, rules, weights=given_weights)
            for threads in (2, 5):
                any_threads(threads)
                for kind in kinds:
                    assert same(first, kernels.count_documents(kind, codes, 3, rules, weights=given_weights))


def test_text_that_is_copied_is_read_in_blocks():
    block = "né " * 700_000  # over 2 MB in UTF-8, where a block has 8
    documents = [block, "to be", block, "or né", "", block, block, block, "not"] * 2
    codes = np.arange(18, dtype=np.int32) % 2
    counts = kernels.count_documents(documents, codes, 2, TokenRules())
    assert list(counts.vocabulary) == ["né", "to", "be", "or", "not"]
    assert counts.occurrences[:1].tolist() == [5 * 700_000 + 1]
    assert counts.lengths.tolist() == [700_000, 2, 700_000, 2, 0, 700_000, 700_000, 700_000, 1] * 2


def test_there_may_be_no_documents_and_empty_ones():
    none = kernels.count_documents([], np.zeros(0, dtype=np.int32), 2, TokenRules())
    assert none.size == 0 and none.starts.tolist() == [0, 0, 0] and len(none.indices) == 0
    empty = kernels.count_documents(["", "  "], np.array([0, 1], dtype=np.int32), 2, TokenRules(ngram_range=(1, 3)))
    assert empty.size == 0 and empty.lengths.tolist() == [0, 0]
    matrix = kernels.document_terms([], TokenRules())
    assert matrix.starts.tolist() == [0] and matrix.size == 0


def test_what_is_missing_in_an_arrow_array_is_an_empty_document():
    documents = pa.array(["to be", None, "", "or"])
    assert kernels.count_documents(documents, np.zeros(4, dtype=np.int32), 1, TokenRules()).lengths.tolist() == [
        2,
        0,
        0,
        1,
    ]


def test_tokens_may_have_been_cut_by_another():
    documents = [["to be", "", "é"], (), ["", "\ud800"]]
    counts = kernels.count_documents(documents, np.zeros(3, dtype=np.int32), 1, None)
    assert list(counts.vocabulary) == ["to be", "", "é", "\ud800"]
    assert counts.occurrences.tolist() == [1, 2, 1, 1]


@pytest.mark.parametrize("documents", [["a", None], ["a", 1.5], [["a"]]])
def test_what_is_no_document_is_named(documents):
    with pytest.raises(InputTypeError, match=r"document \d is of type '\w+', not str or bytes"):
        kernels.count_documents(documents, np.zeros(len(documents), dtype=np.int32), 1, TokenRules())
    with pytest.raises(InputTypeError, match="int64"):
        kernels.document_terms(pa.array([1, 2]), TokenRules())
    with pytest.raises(InputTypeError, match=r"not str. Pass \[documents\]"):
        kernels.document_terms("to be", TokenRules())
    with pytest.raises(InputTypeError, match="generator"):
        kernels.document_terms((text for text in "ab"), TokenRules())


@st.composite
def scores(draw, names, classes):
    number = st.floats(-4, 4).map(lambda x: round(x, 3))
    rows = {name: draw(st.dictionaries(st.integers(0, classes - 1), number)) for name in names}
    base = draw(st.none() | st.fixed_dictionaries(dict.fromkeys(names, number)))
    by_class = st.lists(number, min_size=classes, max_size=classes)
    way = draw(
        st.sampled_from([{}, {"distinct": True}, {"tf": "log"}, {"tf": "log", "lengths": "l2"}, {"lengths": "l2"}])
    )
    return rows, base, draw(by_class), draw(by_class), way


def packed(rows, base, prior, class_base, way):
    cells = [sorted(row.items()) for row in rows.values()]
    return kernels.TokenScores(
        prior=np.array(prior),
        class_base=np.array(class_base),
        starts=np.cumsum([0, *map(len, cells)], dtype=np.int64),
        classes=np.array([c for row in cells for c, _ in row], dtype=np.uint16),
        deltas=np.array([delta for row in cells for _, delta in row], dtype=np.float64),
        token_base=None if base is None else np.array([base[name] for name in rows], dtype=np.float64),
        **way,
    )


@given(st.data(), samples(), st.lists(texts, max_size=6), st.sampled_from(RULES), st.booleans())
def test_scores_are_those_of_the_twin(data, sample, new, rules, as_counted):
    documents, codes, classes = sample
    counts = kernels.count_documents(documents, codes, classes, rules)
    names = list(counts.vocabulary)
    vocabulary = counts.vocabulary if as_counted else Vocabulary.of(names)
    index = vocabulary.index(rules)
    rows, base, prior, class_base, way = data.draw(scores(names, classes))
    found, known = kernels.score_documents(index, new, rules, packed(rows, base, prior, class_base, way))
    expected = twin.score_documents(new, analyzer(rules), prior, class_base, rows, base, **way)
    np.testing.assert_allclose(found, np.reshape(expected, (len(new), classes)), rtol=1e-12, atol=1e-12)
    assert known.tolist() == [sum(t in rows for t in analyzer(rules)(text)) for text in new]


def test_hashed_scores_are_the_hashed_matrix_times_the_weights(any_threads):
    rng = np.random.default_rng(1)
    documents = [" ".join(rng.choice(WORDS, rng.integers(0, 40))) for _ in range(300)]
    weights = rng.normal(size=(256, 3))
    every = np.tile(np.arange(3, dtype=np.uint16), 256)
    prior, base = rng.normal(size=(2, 3))
    model = kernels.TokenScores(prior, base, np.arange(257, dtype=np.int64) * 3, every, weights.ravel())
    for rules in RULES:
        found = kernels.document_terms(documents, rules, index=8)
        matrix = sp.csr_array((found.counts, found.indices, found.starts), shape=(300, 256)).toarray()
        any_threads(1)
        joint, known = kernels.score_documents(8, documents, rules, model)
        np.testing.assert_allclose(joint, prior + np.outer(matrix.sum(axis=1), base) + matrix @ weights, rtol=1e-10)
        assert np.array_equal(known, matrix.sum(axis=1))
        any_threads(4)
        assert np.array_equal(joint, kernels.score_documents(8, documents, rules, model)[0])


def test_scores_must_fit_the_index():
    index = Vocabulary.of(["to", "be"]).index(TokenRules())
    one = kernels.TokenScores(
        np.zeros(1), np.zeros(1), np.zeros(2, dtype=np.int64), np.zeros(0, np.uint16), np.zeros(0)
    )
    with pytest.raises(ValueError, match="one row of scores a token"):
        kernels.score_documents(index, ["to be"], TokenRules(), one)
    with pytest.raises(ValueError, match="other n-grams"):
        kernels.score_documents(index, ["to be"], TokenRules(ngram_range=(1, 2)), one)


@given(st.data(), samples(), rules)
def test_an_index_may_hold_any_part_of_a_vocabulary(data, sample, rules):
    documents, codes, classes = sample
    names = list(kernels.count_documents(documents, codes, classes, rules).vocabulary)
    kept = data.draw(st.permutations(names).map(lambda some: some[: len(some) // 2]))
    index = Vocabulary.of(kept).index(rules)
    assert len(index) == len(kept)
    found = kernels.document_terms(documents, rules, index=index)
    assert rows_of(found) == twin.document_terms(documents, analyzer(rules), kept)[1]


def rows_of(matrix):
    ends = matrix.starts.tolist()
    cells = list(zip(matrix.indices.tolist(), matrix.counts.tolist(), strict=True))
    return [dict(cells[i:j]) for i, j in pairwise(ends)]


@given(st.lists(texts, max_size=12), rules)
def test_matrices_are_those_of_the_twin(documents, rules):
    found = kernels.document_terms(documents, rules)
    names, rows = twin.document_terms(documents, analyzer(rules))
    assert list(found.vocabulary) == names
    assert rows_of(found) == rows
    for i, j in pairwise(found.starts):
        assert np.all(np.diff(found.indices[i:j]) > 0)


@given(st.lists(texts, min_size=1, max_size=12).filter(any), rules)
def test_matrices_are_those_of_scikit_learn(documents, rules):
    peer = CountVectorizer(ngram_range=rules.ngram_range)
    try:
        expected = peer.fit_transform(documents)
    except ValueError:  # no token at all
        return
    found = kernels.document_terms(documents, rules)
    assert list(found.vocabulary) == peer.get_feature_names_out().tolist()
    matrix = sp.csr_matrix((found.counts, found.indices, found.starts), shape=expected.shape)
    assert (matrix != expected).nnz == 0


@given(st.lists(texts, min_size=1, max_size=8), rules, st.sampled_from([1, 7, 2**10, 2**20]), st.booleans())
def test_hashed_matrices_are_those_of_scikit_learn(documents, rules, features, alternate):
    peer = HashingVectorizer(ngram_range=rules.ngram_range, n_features=features, alternate_sign=alternate, norm=None)
    expected = peer.transform(documents)
    found = kernels.hashed_terms(documents, rules, features, alternate_sign=alternate)
    assert np.array_equal(found.starts, expected.indptr)
    assert np.array_equal(found.indices, expected.indices)
    assert np.array_equal(found.counts, expected.data)


tokens = st.text(st.characters(codec="utf-8"), max_size=20) | st.text("ab\0", max_size=20)
vocabularies = st.lists(tokens, unique=True, max_size=20)


@example(["x", "y", "z"], ["y", "w", "w"])
@example(["x"], ["y", "w", "w"])
@given(vocabularies, vocabularies)
def test_unions_are_those_of_the_twin(a, b):
    united, places = Vocabulary.of(a).union(Vocabulary.of(b))
    assert (list(united), places.tolist()) == twin.union_vocabularies(a, b)


@given(samples(), st.integers(0, 12), rules)
def test_batches_joined_are_the_whole(sample, cut, rules):
    documents, codes, classes = sample
    whole = kernels.count_documents(documents, codes, classes, rules)
    a = kernels.count_documents(documents[:cut], codes[:cut], classes, rules)
    b = kernels.count_documents(documents[cut:], codes[cut:], classes, rules)
    united, _ = a.vocabulary.union(b.vocabulary)
    assert list(united) == list(whole.vocabulary)


@st.composite
def token_tables(draw, classes, size):
    """Counts by class and token, as a table and as the twin takes them; tokens of a class are in any order."""
    cells = draw(st.lists(st.tuples(st.integers(0, classes - 1), st.integers(0, size - 1)), unique=True))
    cells.sort(key=lambda cell: cell[0])
    number = draw(st.sampled_from([st.integers(-(2**40), 2**40), st.floats(-1e6, 1e6)]))
    occurrences, present = (draw(st.lists(number, min_size=len(cells), max_size=len(cells))) for _ in range(2))
    rows = np.array([j for j, _ in cells], dtype=np.int64)
    starts = np.searchsorted(rows, np.arange(classes + 1))
    indices = np.array([t for _, t in cells], dtype=np.uint32)
    values = [np.array(v, dtype=np.result_type(np.int64, *v)) for v in (occurrences, present)]
    return kernels.TokenTable(starts, indices, *values), [
        dict(zip(cells, v, strict=True)) for v in (occurrences, present)
    ]


@given(st.data(), st.integers(1, 3), st.integers(1, 70), st.sampled_from([1, -1]), st.booleans())
def test_sums_of_tables_are_those_of_the_twin(data, classes, size, sign, mapped):
    (a, ours), (b, theirs) = data.draw(token_tables(classes, size)), data.draw(token_tables(classes, size))
    ids = np.array(data.draw(st.permutations(range(size))), dtype=np.int64) if mapped else None
    added = kernels.add_tables(a, b, size, ids, sign)
    expected = [twin.add_tables(x, y, ids, sign) for x, y in zip(ours, theirs, strict=True)]
    rows = np.repeat(np.arange(classes), np.diff(added.starts)).tolist()
    cells = list(zip(rows, added.indices.tolist(), strict=True))
    assert cells == sorted(expected[0])
    for values, twins in zip((added.occurrences, added.documents), expected, strict=True):
        assert values.tolist() == [twins[cell] for cell in cells]


def test_tables_that_do_not_fit_are_refused():
    def table(starts, indices, counts):
        return kernels.TokenTable(np.array(starts), np.array(indices), np.array(counts), np.array(counts))

    good = table([0, 1], [2], [5])
    for bad, message in (
        (table([0, 1], [3], [5]), "outside the vocabulary"),
        (table([0, 2], [2], [5]), "starts must rise"),
        (table([0, 1], [2], [5, 6]), "one count an entry"),
        (table([0, 0, 1], [2], [5]), "same number of classes"),
    ):
        with pytest.raises(ValueError, match=message):
            kernels.add_tables(good, bad, 3)
    with pytest.raises(ValueError, match="number lies outside"):
        kernels.add_tables(good, good, 3, np.array([0, 1, 3]))


@given(vocabularies)
def test_tokens_are_sorted_by_code_points(names):
    order = Vocabulary.of(names).order()
    assert [names[i] for i in order] == sorted(names)
