"""Shaded cells keep their text."""

from deciban.reports.markup import heat


def test_the_shade_is_between_none_and_the_strongest():
    assert heat("<12>", 0.5).html == '<span class="heat good" style="--heat:0.500">&lt;12&gt;</span>'
    assert "--heat:1.000" in heat("1", 7.0, "bad").html
