"""Probabilities of terms are shown as a table, and given by name and as a frame."""

import numpy as np
import pytest

from deciban.explain.tokens import TermProbabilities

TABLE = TermProbabilities(("free", "<b>"), np.array(["ham", "spam"]), np.array([[0.25, 0.6], [0.0, 2e-7]]))


def test_terms_are_found_by_name():
    assert TABLE["free"] == {"ham": 0.25, "spam": 0.6}
    assert (len(TABLE), list(TABLE)) == (2, ["free", "<b>"])
    with pytest.raises(KeyError, match="no term 'prize'"):
        TABLE["prize"]


def test_a_table_is_shown_in_a_line_as_text_and_as_html():
    assert repr(TABLE) == "TermProbabilities(2 terms, 2 classes)"
    assert str(TABLE).splitlines() == ["term     ham     spam", "free  0.2500   0.6000", "<b>   0.0000  2.0e-07"]
    assert "<td>&lt;b&gt;</td><td>0.0000</td>" in TABLE._repr_html_()
    long = TermProbabilities(tuple(map(str, range(25))), TABLE.classes, np.zeros((25, 2)))
    assert str(long).endswith("… and 5 more") and "<p>… and 5 more</p>" in long._repr_html_()


def test_a_frame_has_a_column_for_each_class():
    frame = TABLE.to_frame("pyarrow")
    assert frame.to_pydict() == {"term": ["free", "<b>"], "ham": [0.25, 0.0], "spam": [0.6, 2e-7]}
