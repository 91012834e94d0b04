"""Numbers that lie in chunks, as Arrow reads them from a file: they become one array only while they are in use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from deciban.types import AnyArray

__all__ = ["Chunks", "is_readable"]


@dataclass(frozen=True, eq=False)
class Chunks:
    """Chunks of numbers without gaps; reading copies, so a table of them never lies in memory twice.

    >>> chunks = Chunks(pa.chunked_array([[1, 2], [3]]))
    >>> chunks[1:].tolist(), len(chunks), chunks.dtype
    ([2, 3], 3, dtype('int64'))
    """

    values: pa.ChunkedArray

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.values.type.to_pandas_dtype())

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> AnyArray:
        if not isinstance(rows, slice) or rows.step not in (None, 1):
            return np.asarray(self)[rows]
        first, last, _ = rows.indices(len(self))
        return _array(self.values.slice(first, max(last - first, 0)))

    def __array__(self, dtype: Any = None, *, copy: bool | None = None) -> AnyArray:
        return _array(self.values).astype(dtype or self.dtype, copy=False)


def is_readable(values: pa.ChunkedArray) -> bool:
    """True for several chunks of integers or floats, without gaps."""
    is_number = pa.types.is_integer(values.type) or pa.types.is_floating(values.type)
    return is_number and values.num_chunks > 1 and values.null_count == 0


def _array(values: pa.ChunkedArray) -> AnyArray:
    if values.num_chunks == 1:
        return np.asarray(values.chunk(0).to_numpy())
    return np.asarray(values.to_numpy())
