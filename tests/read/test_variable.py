"""Labels and codes meet in one place, and mean the same whatever order the values came in."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.read import MISSING, Variable

labels = st.lists(st.one_of(st.text(max_size=3), st.integers(-5, 5)), max_size=8)


def test_labels_are_sorted_and_distinct():
    assert Variable.of("sky", ["sun", "rain", "sun"]).labels.tolist() == ["rain", "sun"]


@given(labels)
def test_encoding_finds_each_label_again(values):
    variable = Variable.of("v", values)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    codes = variable.encode(array)
    assert [variable.labels[c] for c in codes] == values


@given(labels, labels)
def test_union_is_commutative_and_has_all_states(a, b):
    one, other = Variable.of("v", a), Variable.of("v", b)
    assert one.union(other) == other.union(one) == Variable.of("v", a + b)


integers = st.sampled_from([np.int8, np.uint8, np.int32, np.int64, np.uint64]).flatmap(
    lambda kind: st.lists(
        st.integers(0, 9) | st.integers(int(np.iinfo(kind).min), int(np.iinfo(kind).max)), min_size=1, max_size=9
    ).map(lambda values: np.array(values, dtype=kind))
)


@given(integers, integers)
def test_integers_near_and_far_get_their_codes(known, values):
    variable = Variable.of("v", known)
    assert variable.labels.dtype == known.dtype
    assert np.array_equal(variable.labels, np.unique(known))
    code_of = {label: code for code, label in enumerate(variable.labels.tolist())}
    assert variable.encode(known).tolist() == [code_of[v] for v in known.tolist()]
    if max(known.max(), values.max()) < 2**53:  # beyond it, numpy compares unlike types as floats
        assert variable.encode(values).tolist() == [code_of.get(v, len(variable)) for v in values.tolist()]


def test_strangers_and_missing_values_have_codes_of_their_own():
    variable = Variable.of("v", ["a", "b"])
    values = np.array(["b", "z", "a"], dtype=object)
    assert variable.encode(values, np.array([False, False, True])).tolist() == [1, 2, MISSING]


def test_coded_variables_grow_to_the_larger_range():
    assert Variable.of_codes("v", 3).union(Variable.of_codes("v", 5)) == Variable.of_codes("v", 5)
    wide = Variable.of_codes("v", 2_000_001, np.array([3, 2_000_000]))
    both = wide.union(Variable.of_codes("v", 2))
    assert (both.size, both.labels.tolist()) == (2_000_001, [0, 1, 3, 2_000_000])


def test_codes_and_labels_together_are_labels():
    both = Variable.of_codes("v", 2).union(Variable.of("v", np.array([0.5])))
    assert both.labels.tolist() == [0, 0.5, 1]
    assert not both.is_coded


def test_a_variable_is_shown_by_its_first_labels():
    assert repr(Variable.of_codes("v", 9)) == "Variable('v': 0, 1, 2, 3, 4, 5, …)"
    with pytest.raises(TypeError):
        hash(Variable.of_codes("v", 9))
