"""Words name nodes and states of any type, and what is unknown is pointed at."""

from __future__ import annotations

from datetime import date

import pytest

import deciban as db
from deciban.nets.inference.ask import index_named
from tests.nets.inference.ask.pointing import check_refused

NET = db.BayesNet.from_tables(
    [("visit to Asia", 2)],
    {"visit to Asia": (True, False), 2: (0, 10, 2.5)},
    {"visit to Asia": [0.25, 0.75], 2: [[0.5, 0.25, 0.25], [0.125, 0.375, 0.5]]},
)


@pytest.mark.parametrize(
    ("text", "among", "index"),
    [
        ("1", ["0", "1"], 1),
        ("1", [0, 1], 1),
        ("1.0", [0, 1], 1),
        ("1", [1, "1"], 1),
        ("true", [False, True], 1),
        ("True", ["True", True], 0),
        ("1", [False, True], None),
        ("2024-02-29", [date(2024, 2, 28), date(2024, 2, 29)], 1),
        ("None", ["no", None], 1),
        ("nan", [0.0, 1.0], None),
        ("yes", [], None),
    ],
)
def test_a_word_names_a_string_then_a_literal_then_what_prints_like_it(text, among, index):
    assert index_named(text, among) == index


def test_nodes_and_states_need_not_be_strings():
    assert NET.ask("P(2=10 | 'visit to Asia'=true)") == 0.25
    assert NET.ask("P('visit to Asia'=False, 2=2.50)") == 0.375


@pytest.mark.parametrize(
    ("text", "position", "reason"),
    [
        ("P(3)", 2, "the net has no node '3'; its nodes are: 'visit to Asia', 2."),
        ("P(2 | 'visit to Asai'=true)", 6, "Did you mean 'visit to Asia'?"),
        ("P(2 | 'visit to Asia'=tru)", 22, "has no state 'tru'; its states are: True, False. Did you mean True?"),
        ("P(2=3)", 4, "2 has no state '3'; its states are: 0, 10, 2.5."),
        ("P(2, 2.0)", 5, "2 is named twice"),
        ("P(2 | 2=0)", 6, "2 is in question, so it cannot be observed too"),
        ("P('visit to Asia' | 2 > 1)", 20, "only numbers are compared in conditions; write 2=1"),
        ("2 _||_ 2", 7, "2 is named twice"),
        ("P('visit to Asia' | do(2=0), 2=10)", 29, "2 is set to 0 by do(…), so it cannot be observed to be 10"),
    ],
)
def test_a_word_that_does_not_fit_the_net_is_pointed_at(text, position, reason):
    check_refused(NET, text, position, reason)
