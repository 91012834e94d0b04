"""A question prints as a text that reads back to the same question, whatever its names are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deciban.nets.inference.ask import Question, Term, Word, parse_question

WORDS = st.one_of(
    st.text(max_size=6),
    st.sampled_from(["P", "E", "do", "argmax", "_||_", "a_||_b", "x|y", "it's", 'say "no"', "back\\", "1e5", "true"]),
).map(Word)
NODES = st.builds(Term, WORDS)
STATES = st.builds(Term, WORDS, WORDS)


def some(terms, least=0):
    return st.lists(terms, min_size=least, max_size=3).map(tuple)


CONDITIONS = {"evidence": some(STATES), "actions": some(STATES)}
QUESTIONS = st.one_of(
    st.builds(Question, st.just("P"), some(NODES, 1), **CONDITIONS),
    st.builds(Question, st.just("P"), some(STATES, 1), **CONDITIONS),
    st.builds(
        Question,
        st.just("P"),
        st.tuples(st.builds(Term, WORDS, WORDS, st.sampled_from(["<", "<=", ">", ">="]))),
        **CONDITIONS,
    ),
    st.builds(Question, st.just("E"), st.tuples(NODES), **CONDITIONS),
    st.builds(Question, st.just("argmax"), some(NODES), **CONDITIONS),
    st.builds(Question, st.just("independent"), some(NODES, 1), evidence=some(NODES), others=some(NODES, 1)),
)


@given(QUESTIONS)
@settings(max_examples=60)
def test_a_question_prints_as_a_text_that_reads_back_to_it(question):
    assert parse_question(str(question)) == question


@pytest.mark.parametrize(
    ("word", "shown"),
    [("lung", "lung"), ("CO2", "CO2"), ("-0.5", "-0.5"), ("North Sea", "'North Sea'"), ("<7.5", "'<7.5'"), ("", "''")],
)
def test_words_have_quotes_where_they_need_them(word, shown):
    assert str(Word(word)) == shown
