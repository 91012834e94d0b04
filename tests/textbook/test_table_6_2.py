"""Mitchell, table 6.2: LEARN_NAIVE_BAYES_TEXT and CLASSIFY_NAIVE_BAYES_TEXT on a toy corpus.

Tokens are words, punctuation and whatever else is not space; the tokenizer here is a line of the test, the counting and
the estimates are the library's.
"""

import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import deciban as db

EXAMPLES = [
    ("Win money now !! Win !", "spam"),
    ("cheap money , cheap pills", "spam"),
    ("lunch at noon ?", "ham"),
    ("are you at the meeting , or at lunch ?", "ham"),
    ("the report is due at noon .", "ham"),
]


def tokens(text: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", text.lower())


VOCABULARY = sorted({token for text, _ in EXAMPLES for token in tokens(text)})


def vector(text: str) -> list[int]:
    counts = Counter(tokens(text))
    return [counts[word] for word in VOCABULARY]


def learn() -> tuple[dict[str, Fraction], dict[str, dict[str, Fraction]]]:
    """Follow the table to the letter, exactly."""
    priors, words = {}, {}
    for v in ("ham", "spam"):
        docs = [text for text, label in EXAMPLES if label == v]
        priors[v] = Fraction(len(docs), len(EXAMPLES))
        text = tokens(" ".join(docs))
        n = len(text)
        words[v] = {w: Fraction(text.count(w) + 1, n + len(VOCABULARY)) for w in VOCABULARY}
    return priors, words


def test_learning_gives_the_probabilities_of_the_table():
    priors, words = learn()
    model = db.MultinomialNB().fit([vector(text) for text, _ in EXAMPLES], [label for _, label in EXAMPLES])
    assert "!" in VOCABULARY
    assert ("," in VOCABULARY) and ("?" in VOCABULARY)
    for j, v in enumerate(model.classes_):
        assert np.exp(model.class_log_prior_[j]) == pytest.approx(float(priors[v]), rel=1e-15)
        exact = [float(words[v][w]) for w in VOCABULARY]
        assert np.exp(model.feature_log_prob_[j]) == pytest.approx(exact, rel=1e-14)


@pytest.mark.parametrize("document", ["cheap money !", "lunch at the meeting", "win win win , unicorn zebra", "zebra"])
def test_classifying_multiplies_over_the_positions_whose_token_is_known(document):
    priors, words = learn()
    model = db.MultinomialNB().fit([vector(text) for text, _ in EXAMPLES], [label for _, label in EXAMPLES])
    exact = []
    for v in ("ham", "spam"):
        p = priors[v]
        for token in tokens(document):
            p *= words[v].get(token, 1)  # positions whose token is unknown are left out
        exact.append(float(p))
    assert np.exp(model.predict_joint_log_proba([vector(document)]))[0] == pytest.approx(exact, rel=1e-13)
    assert model.predict([vector(document)])[0] == ("ham", "spam")[int(np.argmax(exact))]


def test_m_equal_to_the_vocabulary_is_laplace():
    counts = np.array([3, 0, 1, 0])
    assert db.MEstimate(4).probabilities(counts).tolist() == db.Laplace().probabilities(counts).tolist()


def test_the_word_probabilities_are_a_table():
    """P(w_k | v_j) = (n_k + 1) / (n + |Vocabulary|), for every word and class."""
    documents, labels = ["the horse raced", "the barn fell", "prime minister"], ["+", "+", "-"]
    table = db.TextNB("multinomial", smoothing=db.Laplace()).fit(documents, labels).term_probabilities()
    assert table["the"] == pytest.approx({"+": (2 + 1) / (6 + 7), "-": (0 + 1) / (2 + 7)}, rel=1e-14)
    assert table["prime"] == pytest.approx({"+": 1 / 13, "-": 2 / 9}, rel=1e-14)
    assert table.array.sum(axis=0) == pytest.approx(1, rel=1e-14)
