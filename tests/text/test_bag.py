"""Bags are a group: what a user merges, forgets or prunes is what one count of the same documents would give."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.errors import ColumnMismatchError, NegativeCountError, ParameterError
from deciban.estimate.association import chi_squared, mutual_information
from deciban.read import read_target, read_weights
from deciban.read.documents import Documents
from deciban.tallies import Sample
from deciban.text import Analyzer, Pruning, Vocabulary
from deciban.text.bag import count_bag
from deciban.text.pruning import token_scores

WORDS = ["sun", "rain", "hail", "snow", "wind"]
sentences = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
rows = st.lists(st.tuples(sentences, st.sampled_from("ab")), min_size=1, max_size=8)


def bag(documents, labels, weights=None, n_bits=None, ngram_range=(1, 1), known="ab"):
    target = read_target(np.array([*labels, *known]), len(documents) + len(known))  # every class, always
    w = np.append(np.ones(len(documents)) if weights is None else weights, np.zeros(len(known)))
    sample = Sample.of(target, read_weights(w, len(w)) if weights is not None else None)
    if weights is None:
        sample = Sample(sample.classes, sample.codes[: len(documents)], sample.counts)
        return count_bag(Documents(list(documents)), sample, Analyzer.of(ngram_range=ngram_range), n_bits)
    return count_bag(Documents([*documents, *known]), sample, Analyzer.of(ngram_range=ngram_range), n_bits)


def of(pairs, **settings):
    documents, labels = zip(*pairs, strict=True)
    return bag(documents, labels, **settings)


@given(rows, rows, st.sampled_from([None, 6]), st.sampled_from([(1, 1), (1, 2)]))
def test_sum_is_the_count_of_both_in_either_order(a, b, n_bits, ngram_range):
    x, y, both = (of(pairs, n_bits=n_bits, ngram_range=ngram_range) for pairs in (a, b, a + b))
    assert x + y == both
    assert y + x == both


@given(rows, rows, st.sampled_from([None, 6]))
def test_difference_undoes_the_sum(a, b, n_bits):
    x, y = of(a, n_bits=n_bits), of(b, n_bits=n_bits)
    assert (x + y) - y == x
    assert (x - x).is_empty
    assert n_bits or len((x - x).vocabulary) == 0


def test_what_was_never_counted_cannot_be_taken_out():
    x = of([("sun rain", "a"), ("snow", "b")])
    with pytest.raises(NegativeCountError, match="token 'hail' in class 0"):
        _ = x - of([("hail", "a")])
    with pytest.raises(NegativeCountError, match="token 'snow' in class 0"):
        _ = x - of([("snow", "a")])


def test_weights_scale_counts():
    documents, labels = ["sun sun rain", "rain"], ["a", "b"]
    assert bag(documents, labels, weights=[2.0, 2.0]) == bag(documents, labels).scaled(2.0)
    assert bag(documents, labels).scaled(0).is_empty


def test_bags_that_are_cut_differently_do_not_join():
    with pytest.raises(ColumnMismatchError, match="cannot be added"):
        _ = of([("sun", "a")]) + of([("sun", "a")], ngram_range=(1, 2))
    with pytest.raises(ColumnMismatchError, match="bits"):
        _ = of([("sun", "a")], n_bits=5) + of([("sun", "a")], n_bits=6)


def test_classes_are_placed_in_any_order():
    x = of([("sun rain", "a"), ("snow snow", "b")])
    moved = x.reclassed(np.array([2, 0]), 3)
    assert moved.totals().tolist() == [2, 0, 2]
    assert moved.matrix().toarray()[2].tolist() == x.matrix().toarray()[0].tolist()


def test_a_cap_keeps_the_heaviest_and_states_its_error():
    x = of([("sun " * 9 + "rain " * 5 + "hail hail snow", "a"), ("wind", "b")])
    capped = x.capped(2)
    assert list(capped.vocabulary) == ["sun", "rain"]
    assert capped.error == 2
    again = (capped + of([("hail hail hail", "a")])).capped(2)
    assert again.error == 5  # hail was 5 in truth, and is not there: never off by more than this
    assert x.capped(99) is x


@given(rows)
def test_scores_of_tokens_are_those_of_their_tables(pairs):
    x = of(pairs)
    totals = np.bincount([label == "b" for _, label in pairs], minlength=2)
    table = x.matrix(distinct=True).toarray()
    for measure, direct in (("mi", mutual_information), ("chi2", chi_squared)):
        expected = [direct(np.column_stack([table[:, t], totals - table[:, t]])) for t in range(x.size)]
        assert token_scores(x, totals, measure) == pytest.approx(expected, abs=1e-12)


def test_pruning():
    x = of([("sun sun sun rain rain hail", "a"), ("sun rain snow", "b"), ("sun", "b")])
    totals = np.array([1, 2])

    def kept(**settings):
        return [x.token(t) for t in np.flatnonzero(Pruning(**settings).kept(x, totals))]

    assert kept() == ["sun", "rain", "hail", "snow"]
    assert kept(drop_top=1) == ["rain", "hail", "snow"]
    assert kept(min_count=3) == ["sun", "rain"]
    assert kept(min_df=2) == ["sun", "rain"]
    assert kept(max_df=0.7) == ["rain", "hail", "snow"]
    assert kept(select=1) == ["hail"]  # only it tells a document's class for sure
    assert kept(select=1, measure="frequency") == ["sun"]
    with pytest.raises(ParameterError, match="measure"):
        Pruning(measure="luck")


@given(st.lists(st.text(min_size=1, max_size=4), unique=True), st.lists(st.text(min_size=1, max_size=4), unique=True))
def test_vocabularies_grow_at_their_end(a, b):
    a, b = ([t for t in x if t.isprintable()] for x in (a, b))
    joined, places = Vocabulary.of(a).union(Vocabulary.of(b))
    assert list(joined) == a + [t for t in b if t not in a]
    assert [joined[i] for i in places] == b
    mask = np.arange(len(joined)) % 2 == 0
    assert list(joined.subset(mask)) == list(joined)[::2]


def test_totals_are_each_classs_sum_and_0_where_a_class_has_no_token():
    counted = bag(["sun sun rain", ""], "ab")
    assert counted.totals().tolist() == [3, 0]
    assert counted.totals(distinct=True).tolist() == [2, 0]
    assert counted.totals().dtype == counted.occurrences.dtype


@given(rows, st.permutations(range(8)), st.integers(0, 4))
def test_no_choice_among_equals_depends_on_the_order_of_documents(pairs, order, many):
    shuffled = [pairs[i] for i in order if i < len(pairs)]
    x, y = of(pairs), of(shuffled)
    totals = np.bincount([label == "b" for _, label in pairs], minlength=2).astype(float)

    def chosen(bag):
        settings = [{"drop_top": many}, *({"select": many, "measure": m} for m in ("mi", "chi2", "frequency"))]
        kept = [np.flatnonzero(Pruning(**setting).kept(bag, totals)) for setting in settings]
        return [
            *(sorted(map(bag.token, ids)) for ids in kept),
            sorted(bag.capped(many).vocabulary),
            list(bag.shown(many)),
        ]

    assert chosen(x) == chosen(y)


@pytest.mark.parametrize("n_bits", [None, 4])
def test_bags_with_the_same_tokens_add_like_others(n_bits):
    """Their counts are added entry by entry, without sorting."""
    documents, labels = ["sun rain", "rain hail", "sun sun"], "aba"
    one, other = (
        bag(documents, labels, n_bits=n_bits),
        bag([f"{text} sun rain hail" for text in documents], labels, n_bits=n_bits),
    )
    twice = one + one
    assert twice == bag(documents * 2, labels * 2, n_bits=n_bits)
    assert twice - one == one
    assert (one + other) - other == one
