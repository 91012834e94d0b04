"""The core's scanner gives what its readable twin gives."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deciban import _core
from deciban.errors import FileError
from deciban.nets.io.words import Tokens, decoded, quoted
from tests.reference.scan import scan_net_text

PIECES = st.lists(
    st.sampled_from(
        [
            *[
                "0.1",
                "+1",
                "-2.5e-3",
                "1e999",
                "1e-999",
                ".5",
                "5.",
                "1_0",
                "inf",
                "-inf",
                "nan",
                "1e",
                "0x1p3",
                "--1",
                ".",
            ],
            *[
                "word",
                "a/b",
                "//",
                "/*",
                "*/",
                "%",
                "#",
                '"',
                '\\"',
                "\\",
                " ",
                ",",
                "\n",
                "\t",
                "(",
                ")",
                "{",
                "}",
                ";",
            ],
            *["|", "=", "é", "\x00", "4.9406564584124654e-324", "179769313486231580793e289"],
        ]
    ),
    max_size=30,
).map("".join)
RULES = st.sampled_from([("{}()[];|", "//"), ("{}()|;=", "%"), ("", "#")])


@given(text=PIECES | st.text(max_size=20), rules=RULES, most=st.integers(0, 6) | st.just(1000))
@settings(max_examples=1_500)
@example(text='"\\', rules=("", "#"), most=1000)
@example(text="1 /*x*/ 2 3", rules=("{}", "//"), most=1000)
@example(text="1 2 a", rules=("{}", "//"), most=1)
def test_the_kernel_is_its_twin(text, rules, most):
    raw = text.encode()
    kernel, twin = _core.scan_net_text(raw, *rules, most), scan_net_text(raw, *rules, most)
    assert kernel[0] == twin[0]
    for ours, theirs in zip(kernel[1:5], twin[1:5], strict=True):
        assert ours.tobytes() == theirs.tobytes()
    assert kernel[5:] == twin[5:]


@given(st.text())
def test_what_is_quoted_is_read_again(name):
    try:
        assert decoded(quoted(name).encode()) == name
    except UnicodeEncodeError:
        pytest.skip("no text file can hold it")


def fail(line, message):
    return FileError(f"line {line}: {message}")


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b'a\n"b', "line 2: a string begins here and never ends"),
        (b"a\n\n/* b", "line 3: a comment begins here and never ends"),
        (b"a\n\xe9", "line 2: byte 0xe9 is not UTF-8"),
    ],
)
def test_what_never_ends_is_told(raw, says):
    with pytest.raises(FileError, match=says):
        Tokens(raw, fail, "", "//")


def test_what_was_found_is_shown_but_not_at_any_length():
    tokens = Tokens(b"x" * 99, fail, "", "//")
    with pytest.raises(FileError, match=r"line 1: expected ';' here, found 'x{40}…'"):
        tokens.mark(";", "here")
