"""What a model remembers of its first data: without it, later data with other columns would be taken."""

import numpy as np

from deciban.models.schema import Form
from deciban.read import Variable, read_table


def test_names_and_width_are_those_of_the_data():
    form = Form.of(read_table({"a": [1.0, 2.0], "b": ["x", "y"]}))
    assert (form.columns, form.names, form.dtype) == (2, ("a", "b"), np.float64)


def test_a_row_may_name_the_target_which_is_ignored():
    assert Form(1, target="y").allowed(["a"]) == {"a", "y"}
    assert Form(1).allowed(["a"]) == {"a"}


def test_declared_classes_of_both_stay():
    declared = [Form(1, classes=Variable("y", np.array(labels), 2)) for labels in (["a", "b"], ["b", "c"])]
    assert declared[0].merged(declared[1]).classes.labels.tolist() == ["a", "b", "c"]
    assert Form(1).merged(declared[0]).classes.labels.tolist() == ["a", "b"]
    assert declared[0].merged(Form(1)) == declared[0]
