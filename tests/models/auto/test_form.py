"""The form of a combination."""

from deciban.models.auto import AutoForm, Candidate, Comparison
from deciban.models.schema import Form


def test_merging_merges_the_forms_of_all_models():
    a, b = Form(1, weights=(1.0,), weighed_rows=100.0), Form(1, weights=(0.0,), weighed_rows=300.0)
    merged = AutoForm(1, models=("M",), forms=(a,)).merged(AutoForm(1, models=("M",), forms=(b,)))
    assert merged.forms[0].weights == (0.25,)
    assert merged.models == ("M",)


def test_without_a_comparison_all_models_count_the_same():
    form = AutoForm(1, models=("A", "B"), forms=(Form(1), Form(1)))
    assert form.weights_of_models == (0.5, 0.5)


def test_with_one_its_weights_count():
    found = Comparison((Candidate("A", 1.0, 1.0, 0.125),), 1.0, 1.0, 9, "in folds")
    assert AutoForm(1, models=("A",), forms=(Form(1),), comparison=found).weights_of_models == (0.125,)
