"""An explained document shows what its tokens say, and sums it up."""

import re
import sys

from deciban.explain import DocumentExplanation, Mark, TokenReason

TEXT = "Free <b>prize</b>\x1b[31m for zork"
MARKS = (Mark(0, 4, 6.0), Mark(8, 13, -3.0), Mark(23, 26, 0.0), Mark(27, 31, 0.0, is_known=False))
REASONS = (TokenReason("free", 2, 6.0), TokenReason("prize", 1, -3.0), TokenReason("for", 1, 0.0))
TOLD = DocumentExplanation(TEXT, "spam", "ham", -1.0, REASONS, None, ("zork",), MARKS, unknown_count=1)

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def test_text_without_a_terminal_is_plain():
    assert TOLD.to_text() == str(TOLD) == (
        "Free <b>prize</b>␛[31m for zork\n"
        "Weight for spam against ham, in decibans:\n"
        "  prior       -1.00\n"
        "  free ×2     +6.00\n"
        "  prize       -3.00\n"
        "  for         +0.00\n"
        "  total       +2.00\n"
        "Unknown: zork"
    )  # fmt: skip


def test_a_terminal_gets_colours(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    shaded = TOLD.to_text()
    assert ANSI.search(shaded) and ANSI.sub("", shaded) == TOLD.to_text(shaded=False)


def test_many_tokens_are_summed_up():
    assert TOLD.weights(1) == [("prior", -1.0), ("free ×2", 6.0), ("… 2 more tokens", -3.0), ("total", 2.0)]
    assert "1 more" not in TOLD.to_text(None)


def test_what_is_lacking_has_a_line_and_counts():
    told = DocumentExplanation("", "a", "b", 1.0, (), 2.5, (), ())
    assert told.weights() == [("prior", 1.0), ("absent tokens", 2.5), ("total", 3.5)]


def test_plain_values_list_the_strongest_tokens_and_sum_the_others():
    found = TOLD.to_dict(1)
    assert found["reasons"] == [{"token": "free", "count": 2, "weight_db": 6.0}]
    assert found["others"] == {"count": 2, "weight_db": -3.0}
    assert found["prior_db"] + 6.0 + found["others"]["weight_db"] == found["total_db"]
    whole = TOLD.to_dict(None)
    assert len(whole["reasons"]) == 3 and whole["others"] == {"count": 0, "weight_db": 0.0}
    many = DocumentExplanation("", "a", "b", 0.0, tuple(TokenReason(f"t{i}", 1, 1.0) for i in range(80)), None, (), ())
    assert len(many.to_dict()["reasons"]) == 50 and many.to_dict()["others"] == {"count": 30, "weight_db": 30.0}


def test_a_long_document_shows_its_beginning_and_says_so():
    text = "free prize " * 2_000
    marks = tuple(Mark(11 * i, 11 * i + 4, 1.0) for i in range(900))
    told = DocumentExplanation(text, "spam", "ham", 0.0, REASONS, None, ("a", "b"), marks, unknown_count=1_234)
    for shown in (told.to_text(shaded=False), ANSI.sub("", told.to_text(shaded=True)), told._repr_html_()):
        assert shown.count("prize") < 1_000 and "… the first 10,000 of 22,000 characters" in shown
    assert "Unknown: a, b, and 1,232 more" in told.to_text() and "1,234 unknown" in repr(told)


def test_the_repr_is_one_line():
    assert (
        repr(TOLD)
        == f"DocumentExplanation({TOLD.label!r} against {TOLD.against!r}: +2.00 dB, 3 known tokens, 1 unknown)"
    )
    told = DocumentExplanation("", "a", "b", 1.0, (), 2.5, (), ())
    assert repr(told) == "DocumentExplanation('a' against 'b': +3.50 dB, 0 known tokens)"


def test_html_shades_and_escapes():
    html = TOLD._repr_html_()
    assert 'title="+6.00 decibans">Free</span> &lt;b&gt;' in html
    assert 'title="unknown">zork</span>' in html
    assert "<b>prize" not in html and "\x1b" not in html
