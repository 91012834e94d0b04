"""The heaviest tokens are a list to compute with, and a table to read."""

from deciban.explain import TopTokens


def test_top_tokens_are_a_list_and_a_table():
    top = TopTokens([("free", 12.0), ("<i>", 3.0)], "spam", "ham")
    assert top == [("free", 12.0), ("<i>", 3.0)]
    assert str(top) == "decibans for spam against ham\nfree  +12.00\n<i>    +3.00"
    assert "<td>&lt;i&gt;</td><td>+3.00</td>" in top._repr_html_()
    assert TopTokens([], "a", "b").to_text() == "decibans for a against b"
