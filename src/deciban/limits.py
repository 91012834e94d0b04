"""The memory that one result may take before it is refused.

Some results grow with a product of sizes that depend on the data: classes × categories, rows × classes, states of two
columns. `check_memory` compares such a product with the limit before anything is allocated. The limit is 4 GiB, or the
value of the environment variable ``DECIBAN_MEMORY_LIMIT``, in bytes.
"""

from __future__ import annotations

import os
from math import prod

from deciban.errors import ParameterError, TooLargeError

__all__ = ["VARIABLE", "check_memory", "in_bytes", "memory_limit"]

_DEFAULT = 4 << 30
VARIABLE = "DECIBAN_MEMORY_LIMIT"
# Bytes that are never too many: a look at the environment would take a good part of the time of a single row.
_NEGLIGIBLE = 1 << 12
_SHOWN = 8
# Sizes of joint tables are exact integers; beyond this the division below would overflow a float.
_BEYOND = 10**300


def memory_limit(limit: int | None = None) -> int:
    """The limit in bytes: the one that a function was given as an argument, or else the one for all."""
    if limit is not None:
        return limit
    given = os.environ.get(VARIABLE)
    if given is None:
        return _DEFAULT
    if not given.isdecimal():
        raise ParameterError(f"the environment variable {VARIABLE} must be a number of bytes, not {given!r}.")
    return int(given)


def check_memory(what: str, *sizes: int, itemsize: int = 8, advice: str = "") -> None:
    """Raise an error where a table of `sizes` would take more than the limit.

    >>> check_memory("the joint table", 1000, 1000)
    >>> check_memory("the joint table", 10**6, 10**6, advice="Use fewer states.")
    Traceback (most recent call last):
    ...
    deciban.errors.TooLargeError: the joint table (1,000,000 × 1,000,000) would take 7.28 TiB; the limit is 4 GiB
    (environment variable DECIBAN_MEMORY_LIMIT). Use fewer states.
    """
    # Python's integers: a product of numpy's would wrap around.
    needed = prod(map(int, sizes)) * itemsize
    if needed <= _NEGLIGIBLE:
        return
    limit = memory_limit()
    if needed > limit:
        shape = " × ".join(f"{size:,}" for size in sizes[:_SHOWN]) + (" × …" if len(sizes) > _SHOWN else "")
        message = (
            f"{what} ({shape}) would take {in_bytes(needed)}; the limit is {in_bytes(limit)} "
            f"(environment variable {VARIABLE})."
        )
        raise TooLargeError(f"{message} {advice}".rstrip())


def in_bytes(count: int) -> str:
    """A number of bytes in a readable unit.

    >>> (
    ...     in_bytes(3 << 29),
    ...     in_bytes(100),
    ...     in_bytes(1023 << 20),
    ...     in_bytes(1 << 200),
    ...     in_bytes(1 << 2000),
    ... )
    ('1.5 GiB', '100 bytes', '1,023 MiB', '1.39e+42 EiB', 'more than 1e+300 bytes')
    """
    if count > _BEYOND:
        return "more than 1e+300 bytes"
    if count < 1024:
        return f"{count} bytes"
    # Not a logarithm, which rounds up just below a power.
    step = min((count.bit_length() - 1) // 10, 6)
    shown = count / (1 << 10 * step)
    number = f"{shown:,.0f}" if 100 <= shown < 1e6 else f"{shown:.3g}"
    return f"{number} {'KMGTPE'[step - 1]}iB"
