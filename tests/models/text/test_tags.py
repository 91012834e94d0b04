"""scikit-learn learns from the tags that X is a column of text, so its checks do not pass tables of numbers."""

from sklearn.utils import get_tags

import deciban as db


def test_text_models_take_one_column_of_text():
    for model in (db.TextNB(), db.LogCountRatio(), db.TextEM()):
        tags = get_tags(model).input_tags
        assert tags.one_d_array and tags.string
        assert not tags.two_d_array and not tags.sparse
