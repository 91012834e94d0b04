"""The notation is read as the page says, and an error points at the character that does not fit."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deciban.errors import QuestionError
from deciban.nets.inference import ask as parser
from deciban.nets.inference.ask import Question, parse_question, parse_states

PAGE = Path(__file__).resolve().parents[4] / "docs" / "how-to" / "asking.md"

SAME = [
    ("P( lung|xray = yes )", "P(lung | xray=yes)"),
    ("P(lung|do(smoke=no),xray=yes)", "P(lung | xray=yes, do(smoke=no))"),
    ("P(lung | do(smoke=no), do(asia=yes))", "P(lung | do(smoke=no, asia=yes))"),
    ("P('lung' | \"xray\"='yes')", "P(lung | xray=yes)"),
    ("P(lung = yes, tub = no)", "P(lung=yes, tub=no)"),
    ("argmax P(*|xray=yes)", "argmax P(* | xray=yes)"),
    ("argmax P(lung,tub)", "argmax P(lung, tub)"),
    ("E(age|sex=m)", "E(age | sex=m)"),
    ("tub ⊥ smoke | dysp", "tub _||_ smoke | dysp"),
    ("tub ⫫ smoke", "tub _||_ smoke"),
    ("a,b_||_c|d,e", "a, b _||_ c | d, e"),
    ("P(do | P=E)", "P(do | P=E)"),
    ("P(age>=40|sex=m)", "P(age >= 40 | sex=m)"),
    ("P(age<-1.5)", "P(age < -1.5)"),
    ("\n P(\tlung )\n", "P(lung)"),
]

WRONG = [
    ("", 0, "expected a question"),
    ("P(lung", 6, "expected ')', found the end"),
    ("P(lung))", 7, "expected the end, found ')'"),
    ("P(lung | )", 9, "expected the name of a node"),
    ("P(lung | xray)", 13, "expected '=' and a state after 'xray'"),
    ("P(lung | xray=)", 14, "expected a state"),
    ("P(lung | do(smoke)", 17, "expected '=' and a state after 'smoke'"),
    ("P(lung=yes, tub)", 2, "a state to every target or to none"),
    ("P(lung; tub)", 6, "write names and states that contain it in quotes"),
    ("P(lung | 'xray=yes)", 9, "the quote ' is not closed"),
    ("P(age > )", 8, "expected a number"),
    ("P(age > 40, lung=yes)", 2, "leave out the other targets"),
    ("P(lung | age >)", 14, "expected a number"),
    ("P(lung | do(age > 40))", 16, "expected '=' and a state after 'age'"),
    ("E(age > 40)", 2, "E takes nodes without states"),
    ("p(lung)", 0, "Did you mean 'P'?"),
    ("argmax P(lung=yes)", 9, "nodes without states"),
    ("E(lung, tub)", 6, "expected ')'"),
    ("lung", 4, "to ask for lung write P(lung); expected _||_, found the end"),
    ("lung = yes", 5, "expected _||_ after 'lung', found '='"),
    ("lung _||_ smoke | tub=yes", 21, "expected the end"),
]


@pytest.mark.parametrize(("text", "shown"), SAME)
def test_texts_with_the_same_meaning_are_the_same_question(text, shown):
    assert str(parse_question(text)) == shown
    assert parse_question(text) == parse_question(shown)


@pytest.mark.parametrize(("text", "position", "reason"), WRONG)
def test_an_error_points_at_the_character(text, position, reason):
    with pytest.raises(QuestionError) as raised:
        parse_question(text)
    assert raised.value.position == position
    assert reason in raised.value.reason
    assert str(raised.value).splitlines()[1:] == [f"  {text}", f"  {' ' * position}^"]


def test_the_caret_is_below_a_character_that_follows_wide_ones_and_tabs():
    with pytest.raises(QuestionError) as raised:
        parse_question("P(肺\t!|)")
    assert str(raised.value).splitlines()[1:] == ["  P(肺 !|)", "       ^"]


@given(st.one_of(st.text(max_size=20), st.text("PEdo(a)=<>|,'\"\\ _*", max_size=20)))
@example("P(a|do(")
@example("'\\")
def test_any_text_is_a_question_or_that_one_error(text):
    found = question_or_position(text)
    if isinstance(found, Question):
        assert parse_question(str(found)) == found
    else:
        assert 0 <= found <= len(text)


def question_or_position(text: str) -> Question | int:
    try:
        return parse_question(text)
    except QuestionError as error:
        return error.position


@pytest.mark.parametrize("other", [None, 3, ["P(lung)"], b"P(lung)"])
def test_what_is_no_text_is_the_same_error(other):
    with pytest.raises(QuestionError, match="a question is a text"):
        parse_question(other)


def test_states_are_read_without_a_question():
    assert [str(term) for term in parse_states("smoke=no,'a b' = 'c'")] == ["smoke=no", "'a b'=c"]
    with pytest.raises(QuestionError, match="expected the end"):
        parse_states("smoke=no)")


def test_the_page_has_the_grammar_of_the_parser():
    grammar = [line for line in inspect.getdoc(parser).splitlines() if line.startswith("    ")]
    assert "\n".join(line[4:] for line in grammar) in PAGE.read_text(encoding="utf-8")
