"""What is taken for a Spark frame."""

import pyarrow as pa
import pytest

from deciban.engines.source import is_spark


@pytest.mark.parametrize("data", [None, "rows.parquet", {"x": [1]}, [[1]], pa.table({"x": [1]}), is_spark])
def test_other_values_are_no_spark_frames(data):
    assert not is_spark(data)
