"""Bearer tokens with two roles: "read" for everything that leaves the model as it is, "learn" for all routes.

Tokens come from a file or from environment variables, not from the command line, which other users can see.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Iterable, Mapping
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from typing import Literal

from deciban.choices import did_you_mean
from deciban.errors import ParameterError
from deciban.files import read_whole

__all__ = ["VARIABLES", "Role", "Tokens", "is_loopback", "read_tokens"]

Role = Literal["read", "learn"]
_ROLES: tuple[Role, ...] = ("read", "learn")

VARIABLES: Mapping[str, Role] = {"DECIBAN_READ_TOKEN": "read", "DECIBAN_LEARN_TOKEN": "learn"}
"""The environment variables that may hold a token."""

_SHORTEST = 16
_SCHEME = b"bearer "


class Tokens:
    """Bearer tokens with two roles; only their hashes are kept.

    Parameters
    ----------
    given : iterable of pairs
        (role, token). The role "read" is for everything that leaves the model as it is, "learn" for all routes. A token
        has at least 16 ASCII characters.

    See Also
    --------
    deciban.serve.app.make_app : Takes it.

    Examples
    --------
    >>> from deciban.serve.tokens import Tokens
    >>> tokens = Tokens([("read", "0123456789abcdef")])
    >>> (
    ...     tokens.role_of(b"Bearer 0123456789abcdef"),
    ...     tokens.role_of(b"Bearer 0123456789abcdee"),
    ...     tokens.role_of(None),
    ... )
    ('read', None, None)
    """

    def __init__(self, given: Iterable[tuple[Role, str]]) -> None:
        self._hashes = [(role, _hash(_checked(token).encode())) for role, token in given]

    def __bool__(self) -> bool:
        return bool(self._hashes)

    def role_of(self, authorization: bytes | None) -> Role | None:
        """The role of a request.

        All tokens are compared, by hashes of equal length, so the time reveals nothing about them.

        Parameters
        ----------
        authorization : bytes or None
            The header ``Authorization``.

        Returns
        -------
        {"read", "learn"} or None
            None where no token fits.
        """
        if authorization is None or authorization[: len(_SCHEME)].lower() != _SCHEME:
            return None
        found: Role | None = None
        given = _hash(authorization[len(_SCHEME) :].strip())
        for role, known in self._hashes:
            # no early end, which would tell by its time which token fits; a token with both roles has the larger one
            if hmac.compare_digest(given, known) and found != "learn":
                found = role
        return found


def read_tokens(path: Path | None = None, environment: Mapping[str, str] = os.environ) -> Tokens:
    """The tokens of a file, of lines such as ``read 3f8e…``, and those of the environment variables."""
    given = [(role, environment[name]) for name, role in VARIABLES.items() if environment.get(name)]
    return Tokens([*given, *([] if path is None else _in_file(path))])


def _in_file(path: Path) -> list[tuple[Role, str]]:
    try:
        lines = read_whole(path).decode().splitlines()
    except UnicodeDecodeError:
        raise ParameterError(f"{path} is not a file of tokens: it is not text.") from None
    tokens = []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        role = next((known for known in _ROLES if known == words[0]), None)
        if role is None or len(words) != 2:
            hint = did_you_mean(words[0], _ROLES) if role is None else ""
            raise ParameterError(f"line {number} of {path} is not a role and a token, such as `read 3f8e…`.{hint}")
        tokens.append((role, words[1]))
    if not tokens:
        raise ParameterError(f"{path} has no tokens: write lines such as `read 3f8e…` or `learn 91ab…`.")
    return tokens


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine only.

    >>> (
    ...     is_loopback("127.0.0.1"),
    ...     is_loopback("::1"),
    ...     is_loopback("localhost"),
    ...     is_loopback("0.0.0.0"),
    ... )
    (True, True, True, False)
    """
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.rstrip(".").lower() == "localhost"


def _checked(token: str) -> str:
    if len(token) < _SHORTEST or not token.isascii() or any(map(str.isspace, token)):
        raise ParameterError(
            f"a token has at least {_SHORTEST} ASCII characters and no spaces; `openssl rand -hex 32` makes one."
        )
    return token


def _hash(token: bytes) -> bytes:
    return sha256(token).digest()
