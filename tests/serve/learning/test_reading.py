"""Rows and labels that came as JSON are learned as the model knows them, whatever its kind."""

from datetime import date

import pytest

import deciban as db
from deciban.errors import InputError, InputTypeError
from deciban.models.draft import Draft
from deciban.serve.adapters import adapter_of
from deciban.serve.learning.changes import Change, apply

from .conftest import LABELS, ROWS


def _after(model, change, **options):
    draft = Draft(model)
    apply(change, draft, adapter_of(model), **options)
    return draft.finish()


def test_a_column_that_a_row_does_not_name_is_missing():
    model = db.NaiveBayes(weights=None).fit(ROWS[:60], LABELS[:60])
    learned = _after(model, Change.of("learn", [{"sky": "sun"}], ["play"]))
    assert learned.tally_.total == 61
    assert _after(learned, Change.of("forget", [{"sky": "sun"}], ["play"])).tally_ == model.tally_


def test_the_label_may_be_in_the_column_of_the_target():
    table = [{**row, "do": label} for row, label in zip(ROWS, LABELS, strict=True)]
    model = db.NaiveBayes(weights=None).fit(table[:60], "do")
    by_column = _after(model, Change.of("learn", table[60:70]), new_classes=False)
    by_label = _after(model, Change.of("learn", ROWS[60:70], LABELS[60:70]))
    assert by_column.tally_ == by_label.tally_
    with pytest.raises(InputTypeError, match="row 1 has no label in its column 'do'"):
        _after(model, Change.of("learn", [table[0], ROWS[1]]))


def test_labels_that_json_has_not_are_found_by_their_text():
    days = [date(2026, 11, 16), date(2026, 11, 17)]
    model = db.NaiveBayes(weights=None).fit(ROWS[:60], days * 30)
    learned = _after(model, Change.of("learn", ROWS[:1], ["2026-11-17"]), new_classes=False)
    assert learned.tally_.class_counts.tolist() == [30, 31]


@pytest.mark.parametrize(("labels", "wrong"), [([0, 1], True), ([0, 1], "one"), ([False, True], 1)])
def test_true_is_not_one_and_other_text_is_no_number(labels, wrong):
    model = db.NaiveBayes(weights=None).fit(ROWS[:60], labels * 30)
    with pytest.raises(InputError, match="is not a class of the model"):
        _after(model, Change.of("learn", ROWS[:1], [wrong]), new_classes=False)
    assert _after(model, Change.of("learn", ROWS[:1], labels[:1]), new_classes=False).tally_.total == 61


@pytest.mark.parametrize(("labels", "given"), [([0, 1], "1"), (["0", "1"], 1), ([False, True], "true")])
def test_text_that_spells_a_class_is_that_class_and_values_have_the_types_of_the_model(labels, given):
    rows = [{"floor": i % 3, "warm": i / 2} for i in range(60)]
    model = db.NaiveBayes({"floor": db.Categorical()}, weights=None).fit(rows, labels * 30)
    learned = _after(
        model, Change.of("learn", [{"floor": "2", "warm": "1.5"}, {"floor": "7"}], [given] * 2), new_classes=False
    )
    expected = _after(model, Change.of("learn", [{"floor": 2, "warm": 1.5}, {"floor": 7}], [labels[1]] * 2))
    assert learned.tally_ == expected.tally_
    assert learned.classes_.tolist() == labels
    assert learned.tally_.parts[0].variable.labels.tolist() == [0, 1, 2, 7]
    adapter = adapter_of(model)
    assert adapter.predict_one({"floor": "2"}) == adapter.predict_one({"floor": 2})
    assert adapter.predict([{"floor": "2"}] * 2) == adapter.predict([{"floor": 2}] * 2)


def test_documents_are_learned_as_text():
    texts = ["free prize now", "lunch at noon", "win a free prize", "see you at lunch"]
    model = db.TextNB(temperature=None).fit(texts, ["spam", "ham"] * 2)
    learned = _after(model, Change.of("learn", ["a prize"], ["spam"]))
    assert learned.tally_ == db.TextNB(temperature=None).fit([*texts, "a prize"], ["spam", "ham"] * 2 + ["spam"]).tally_
    with pytest.raises(InputTypeError, match="document 0 is a dict"):
        _after(model, Change.of("learn", [{"text": "a prize"}], ["spam"]))


def test_rows_of_a_model_without_names_are_lists():
    model = db.GaussianNB().fit([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]], ["a", "b", "a"])
    assert _after(model, Change.of("learn", [[2, 3.5]], ["b"])).tally_.total == 4


def test_a_net_learns_rows_without_labels():
    days = [{"sky": row["sky"], "wind": row["wind"]} for row in ROWS]
    net = db.BayesNet([("sky", "wind")]).fit(days[:60])
    assert _after(net, Change.of("learn", days[60:70])).tally_ == db.BayesNet([("sky", "wind")]).fit(days[:70]).tally_
    with pytest.raises(InputError, match=r"row 0 has 'skye', which is not a node. Did you mean 'sky'\?"):
        _after(net, Change.of("learn", [{"skye": "sun"}]))
    with pytest.raises(InputTypeError, match="row 0 is not an object"):
        _after(net, Change.of("learn", ["sun"]))
