"""Which tokens a model uses, by hand: by count, by documents, without the most frequent, and the most telling."""

import pytest

import deciban as db
from deciban.errors import ParameterError
from deciban.text.pruning import Pruning

DOCUMENTS = ["the sun the sea", "the sun", "the rain", "the rain sea"]
Y = ["dry", "dry", "wet", "wet"]


@pytest.mark.parametrize(
    ("parameters", "kept"),
    [
        ({}, ["rain", "sea", "sun", "the"]),
        ({"min_df": 2, "max_df": 0.5}, ["rain", "sea", "sun"]),
        ({"drop_top": 1}, ["rain", "sea", "sun"]),
        ({"min_count": 3}, ["the"]),
        ({"select": 2}, ["rain", "sun"]),
    ],
    ids=str,
)
def test_tokens_are_chosen_by_hand(parameters, kept):
    assert sorted(db.TextNB(**parameters).fit(DOCUMENTS, Y).vocabulary_) == kept


@pytest.mark.parametrize("wrong", [{"measure": "best"}, {"drop_top": -1}, {"select": "many"}], ids=str)
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        Pruning(**wrong)
