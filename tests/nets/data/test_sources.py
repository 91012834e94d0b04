"""Which arguments stand for rows that are not in memory."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from deciban.errors import InputTypeError
from deciban.nets.data.samples import is_not_in_memory, source_of
from tests.nets.data.batches import Batches

TABLE = pa.table({"a": [1, 2]})


@pytest.mark.parametrize("data", ["rows.csv", Path("rows.csv"), ["a.csv", "b.csv"], Batches([TABLE])])
def test_names_and_sources_are_not_in_memory(data):
    assert is_not_in_memory(data)


@pytest.mark.parametrize(
    "data",
    [TABLE, TABLE.to_pandas(), pl.DataFrame({"a": [1]}), {"a": [1]}, [{"a": 1}], np.ones((2, 2)), pd.Series([1]), []],
)
def test_tables_are_in_memory(data):
    assert not is_not_in_memory(data)


def test_a_source_stays_as_it_is_and_a_table_is_none():
    source = Batches([TABLE])
    assert source_of(source) is source
    with pytest.raises(InputTypeError, match="fit"):
        source_of(TABLE)
