"""An explained document shows what its tokens say, and sums it up."""

import re
import sys

from deciban.explain import DocumentExplanation, Mark, TokenReason

TEXT = "Free <b>prize</b>\x1b[31m for zork"
MARKS = (Mark(0, 4, 6.0), Mark(8, 13, -3.0), Mark(23, 26, 0.0), Mark(27, 31, 0.0, is_known=False))
REASONS = (TokenReason("free", 2, 6.0), TokenReason("prize", 1, -3.0), TokenReason("for", 1, 0.0))
TOLD = DocumentExplanation(TEXT, "spam", "ham", -1.0, REASONS, None, ("zork",), MARKS)

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
