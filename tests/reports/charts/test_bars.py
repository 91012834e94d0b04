"""Bars in cells: of the right length, on the right side."""

import pytest

from deciban.reports.markup import belief_bar, share_bar, signed_bar


@pytest.mark.parametrize(("share", "width"), [(0.25, "25.0"), (2.0, "100.0"), (-1.0, "0.0")])
def test_a_share_is_as_long_as_it_is(share, width):
    assert f'width="{width}"' in share_bar(share)


def test_evidence_points_to_its_class():
    assert 'x="50.0" y="0" width="25.0" height="10" class="for"' in signed_bar(2.0, 4.0)
    assert 'x="25.0" y="0" width="25.0" height="10" class="against"' in signed_bar(-2.0, 4.0)
    assert 'width="50.0"' in signed_bar(float("inf"), 4.0) and 'width="0.0"' in signed_bar(0.0, 0.0)


def test_a_belief_has_its_probability_before_as_an_outline():
    assert 'width="70.0" height="7" class="bar series-0"' in belief_bar(0.7) and "before" not in belief_bar(0.7)
    both = belief_bar(1.0, 0.25, is_observed=True)
    assert 'width="100.0" height="7" class="observed"' in both and 'width="25.0" height="10" class="before"' in both
