"""Tokens: who may call what. A flaw here opens the model to everyone."""

import pytest

from deciban.errors import ParameterError
from deciban.serve.tokens import Tokens, is_loopback, read_tokens

READ, LEARN = "r" * 16, "l" * 32


def test_a_token_gives_its_role_and_nothing_else_does():
    tokens = Tokens([("read", READ), ("learn", LEARN)])
    assert tokens.role_of(f"Bearer {READ}".encode()) == "read"
    assert tokens.role_of(f"bearer  {LEARN} ".encode()) == "learn"
    wrong = [None, b"", b"Bearer", b"Bearer ", READ.encode(), f"Basic {READ}".encode(), f"Bearer {READ}x".encode()]
    assert [tokens.role_of(header) for header in wrong] == [None] * len(wrong)
    assert tokens and not Tokens([])


def test_the_same_token_in_two_roles_may_learn():
    assert Tokens([("learn", READ), ("read", READ)]).role_of(f"Bearer {READ}".encode()) == "learn"


def test_every_token_is_compared_in_constant_time(monkeypatch):
    seen = []
    monkeypatch.setattr(
        "deciban.serve.tokens.hmac.compare_digest", lambda a, b: seen.append((len(a), len(b))) or a == b
    )
    tokens = Tokens([("read", READ), ("learn", LEARN), ("read", "x" * 99)])
    tokens.role_of(f"Bearer {READ}".encode())
    assert seen == [(32, 32)] * 3  # hashes, and no early end after a match


def test_tokens_come_from_a_file_and_from_the_environment(tmp_path):
    path = tmp_path / "tokens"
    path.write_text(f"# of the team\nread {READ}  # dashboards\n\n")
    tokens = read_tokens(path, {"DECIBAN_LEARN_TOKEN": LEARN})
    assert tokens.role_of(f"Bearer {READ}".encode()) == "read"
    assert tokens.role_of(f"Bearer {LEARN}".encode()) == "learn"
    assert not read_tokens(None, {"DECIBAN_READ_TOKEN": ""})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"reed {READ}", "line 1 of .* Did you mean 'read'"),
        ("read", "line 1 of .* is not a role and a token"),
        ("# nothing", "has no tokens"),
        ("read short", "at least 16"),
        ("read ünïcödé-ünïcödé-ünïcödé", "ASCII"),
    ],
)
def test_a_file_of_tokens_that_cannot_be_used_is_refused(tmp_path, text, message):
    path = tmp_path / "tokens"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError, match=message):
        read_tokens(path, {})


def test_a_file_that_is_not_text_is_refused(tmp_path):
    path = tmp_path / "tokens"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ParameterError, match="not text"):
        read_tokens(path, {})


def test_loopback_addresses():
    assert all(map(is_loopback, ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost", "LocalHost."]))
    assert not any(map(is_loopback, ["0.0.0.0", "::", "10.0.0.1", "example.org", "127.0.0.1.example.org", ""]))  # noqa: S104
