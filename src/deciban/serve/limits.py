"""What a request may ask for: bytes, rows, columns, cells and seconds."""

from __future__ import annotations

from dataclasses import dataclass, fields

from deciban.errors import ParameterError

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """The limits of a request; what exceeds them is refused before any work is done.

    Parameters
    ----------
    body : int
        The most bytes of a body, and of one line of a stream.
    rows : int
        The most rows of a batch; a stream may have any number.
    columns : int
        The most values of a row, or inputs of an inference request.
    cells : int
        The most numbers in the answer to a query of a net.
    seconds : float
        How long a request may take, a stream for each block of rows.
    waiting : int
        The most single rows that may wait to be scored.

    See Also
    --------
    deciban.serve.app.make_app : Takes it.

    Examples
    --------
    >>> from deciban.serve.limits import Limits
    >>> Limits(rows=100).rows
    100
    """

    body: int = 8 << 20
    rows: int = 10_000
    columns: int = 10_000
    cells: int = 100_000
    seconds: float = 30.0
    waiting: int = 10_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not value > 0:
                raise ParameterError(f"the limit {field.name!r} is above 0, not {value!r}.")
