"""Which models can be served."""

import pytest

import deciban as db
from deciban.errors import ParameterError
from deciban.serve.adapters import Net, RowClassifier, TextClassifier, adapter_of
from tests.serve.client import LABELS, ROWS, net, number_net, table_model, text_model


def test_each_kind_of_model_has_its_adapter():
    assert isinstance(adapter_of(table_model()), RowClassifier)
    assert isinstance(adapter_of(text_model()), TextClassifier)
    assert isinstance(adapter_of(net()), Net) and isinstance(adapter_of(number_net()), Net)


@pytest.mark.parametrize("kind", [db.AODE, db.KDB, db.AutoBayes, db.BayesNetClassifier, db.JointBayes])
def test_every_classifier_of_rows_is_served(kind):
    columns = {name: ROWS[name] for name in ("guests", "warm")}
    if kind is db.JointBayes:
        columns = {"guests": ROWS["guests"]}
    model = kind().fit(columns, LABELS)
    adapter = adapter_of(model)
    row = {name: values[0] for name, values in columns.items()}
    assert list(adapter.predict([row])[0]["probabilities"].values()) == model.predict_proba([row])[0].tolist()
    assert adapter.explain(row)["total_db"] == model.explain(row).total_db
    assert adapter.predict([adapter.example()]) and adapter.describe()["kind"] == kind.__name__


def test_a_tally_cannot_be_served_and_the_error_says_what_to_do():
    with pytest.raises(ParameterError, match=r"a Tally cannot be served.*from_tally"):
        adapter_of(table_model().tally_)
