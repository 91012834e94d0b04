"""A vocabulary grows at its end, so that the ids of tokens that were counted stay as they are."""

from deciban.text.kernels import Vocabulary


def test_tokens_and_ids():
    tokens = ["sun", "é", "", "日本"]
    vocabulary = Vocabulary.of(tokens)
    assert len(vocabulary) == 4 and list(vocabulary) == tokens and vocabulary[3] == "日本"
    assert vocabulary == Vocabulary.of(tokens) and vocabulary != Vocabulary.of(tokens[:2])


def test_a_union_keeps_the_ids_of_the_first():
    union = Vocabulary.of(["sun", "rain"]).union(Vocabulary.of(["rain", "hail"]))[0]
    assert union.tokens == ("sun", "rain", "hail")
