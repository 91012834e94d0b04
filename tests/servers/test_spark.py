"""Spark, on a cluster of two executor processes: each count equals that of the same table in memory."""

from functools import reduce

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

import deciban as db
from deciban.engines.spark import SparkSource
from deciban.engines.spark.source import parquet_of
from deciban.engines.tally import TableCounting
from deciban.errors import ColumnMismatchError, InputError, ParameterError, SourceError
from tests.properties.engine_tables import check_same, expected, tables
from tests.servers.spark import ROWS, make_table, run_script

pytestmark = pytest.mark.servers


# Counting ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [None, "w"])
def test_a_frame_is_counted_as_the_same_table_in_memory(frame, table, weight):
    found = db.tally(frame, target="y", sample_weight=weight)
    check_same(found, db.tally(table, target="y", sample_weight=weight))
    assert found == db.tally(frame, target="y", sample_weight=weight)  # to the last bit


@pytest.mark.parametrize("weight", [None, "w"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=5)
@given(case=tables())
def test_any_table_split_in_any_way(spark, weight, case):
    table, ends = case
    table = table if weight else table.drop(["w"])
    bounds = zip([0, *ends], [*ends, len(table)], strict=True)
    frames = [spark.createDataFrame(table.slice(a, b - a)) for a, b in bounds]
    found = db.tally(reduce(lambda a, b: a.union(b), frames), target="y", sample_weight=weight)
    check_same(found, expected(table, weight))


@pytest.mark.parametrize("partitions", [1, 2, 40])
def test_the_number_of_partitions_does_not_matter(spark, table, partitions):
    """40 partitions of 5 rows: more than are merged by one task, and most of them empty."""
    few = table.slice(0, 5)
    split = spark.createDataFrame(few).repartition(partitions)
    check_same(db.tally(split, target="y"), db.tally(few, target="y"))


def test_many_batches_in_a_partition(spark):
    """More rows than are counted at once."""
    table = make_table(600_000).select(["number", "a.dot", "y"])
    one = spark.createDataFrame(table).coalesce(1)
    check_same(db.tally(one, target="y"), db.tally(table, target="y"))


def test_computed_columns(spark):
    found = db.tally(spark.sql("SELECT id % 3 AS x, IF(id % 2 = 0, 'p', 'q') AS y FROM range(100)"), target="y")
    ids = np.arange(100)
    check_same(found, db.tally({"x": ids % 3, "y": np.where(ids % 2 == 0, "p", "q")}, target="y"))


def test_only_the_needed_columns_are_read(frame, table):
    counting = TableCounting("y", columns=("a.dot", "y"))
    expected = db.tally(table.select(["a.dot", "y"]), target="y")
    check_same(SparkSource(frame).count(counting), expected)
    with pytest.raises(ColumnMismatchError, match="there is no column 'dot'"):
        SparkSource(frame).count(TableCounting("y", columns=("dot", "y")))


def test_a_sample_is_spread_over_the_frame_and_repeatable(spark, frame, table):
    source = SparkSource(frame)
    assert source.names == tuple(table.column_names)
    assert source.sample(10**6).num_rows == ROWS
    ordered = SparkSource(spark.range(100_000))
    ids = ordered.sample(1000)["id"].to_numpy()
    assert 800 < len(ids) < 1200 and ids.min() < 2000 and ids.max() > 98_000
    assert np.array_equal(np.sort(ids), np.sort(ordered.sample(1000)["id"].to_numpy()))


# Parquet files -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    """Three files of several row groups each."""
    folder = tmp_path_factory.mktemp("parquet files")
    for i in range(3):
        pq.write_table(table.slice(2000 * i, 2000).drop_columns("price"), folder / f"{i}.parquet", row_group_size=300)
    return folder


def test_plain_frames_are_read_by_the_executors(spark, folder, table):
    whole, one = spark.read.parquet(str(folder)), spark.read.parquet(str(folder / "0.parquet"))
    whole.createOrReplaceTempView("rows")
    assert parquet_of(one).files == (folder / "0.parquet",)
    for frame in (whole, spark.table("rows"), spark.sql("SELECT * FROM rows")):
        assert len(parquet_of(frame).files) == 3
    for weight in (None, "w"):
        expected = db.tally(table.drop_columns("price"), target="y", sample_weight=weight)
        check_same(db.tally(whole, target="y", sample_weight=weight), expected)
    assert SparkSource(whole).sample(10**6).num_rows == ROWS
    assert 500 < SparkSource(whole).sample(1000).num_rows < 1500


def test_other_frames_of_files_are_read_by_spark(spark, folder, table):
    """A user would get counts of rows that the frame leaves out, or types that it does not have."""
    whole = spark.read.parquet(str(folder))
    other_types = spark.read.schema("whole long, single double, y string").parquet(str(folder))
    frames = [
        whole.where("whole > 3"),
        whole.limit(10),
        whole.select("whole", "y"),
        whole.sample(0.5, seed=1),
        whole.withColumn("whole", whole["whole"] + 1),
        whole.union(whole),
        whole.dropDuplicates(["y"]),
        spark.read.option("modifiedAfter", "2050-01-01T00:00:00").schema(whole.schema).parquet(str(folder)),
        other_types,
        spark.range(3),
    ]
    assert [parquet_of(frame) for frame in frames] == [None] * len(frames)
    found = db.tally(whole.where("whole > 3"), target="y")
    plain = table.drop_columns("price")
    check_same(found, db.tally(plain.filter(pc.greater(plain["whole"], 3)), target="y"))


# Bad input ---------------------------------------------------------------------------------------------------------


def test_a_frame_without_rows(spark):
    empty = spark.createDataFrame([], "x string, y string")
    with pytest.raises(InputError, match="the Spark frame has no rows"):
        db.tally(empty, target="y")
    with pytest.raises(InputError, match="the Spark frame has no rows"):
        SparkSource(empty).sample(10)


def test_an_error_on_an_executor_comes_back_as_it_is(spark, frame):
    with pytest.raises(ColumnMismatchError, match="there is no column 'z'") as caught:
        db.tally(frame, target="z")
    assert "Traceback" not in str(caught.value) and "org.apache" not in str(caught.value)
    negative = spark.createDataFrame([("a", "p", 1.0), ("b", "q", -1.0)], "x string, y string, w double").coalesce(1)
    with pytest.raises(InputError, match=r"Negative values.*-1 in row 1\. \(Among rows 0 to 1 of partition 0 of the"):
        db.tally(negative, target="y", sample_weight="w")


def test_columns_of_one_name(spark):
    twice = spark.sql("SELECT 1 AS x, 2 AS x, 'a' AS y")
    with pytest.raises(InputError, match="several columns named 'x'"):
        db.tally(twice, target="y")


def test_a_stream_has_no_end(spark):
    with pytest.raises(InputError, match="is a stream"):
        db.tally(spark.readStream.format("rate").load(), target="y")


def test_an_error_of_spark_is_one_sentence(spark):
    broken = spark.sql("SELECT raise_error('the disk is full') AS x, 'a' AS y")
    with pytest.raises(SourceError, match=r"Spark failed while counting the frame: .*the disk is full") as caught:
        db.tally(broken, target="y")
    assert "\n" not in str(caught.value)


def test_a_file_that_spark_cannot_read(spark, tmp_path):
    spark.createDataFrame([(1, "a")], "x int, y string").write.parquet(str(tmp_path / "rows"))
    frame = spark.read.parquet(str(tmp_path / "rows"))
    for path in (tmp_path / "rows").glob("*.parquet"):
        path.write_bytes(b"nothing")
    for path in (tmp_path / "rows").glob(".*.crc"):
        path.unlink()
    with pytest.raises(SourceError, match="Spark failed while counting the frame"):
        db.tally(frame, target="y")


def test_options_of_files_are_refused(frame):
    with pytest.raises(ParameterError, match="checkpoint='ckpt' is for files"):
        db.tally(frame, target="y", checkpoint="ckpt")


# Spark Connect -----------------------------------------------------------------------------------------------------


def test_spark_connect():
    """It has no RDD and no SparkContext, so only calls of the DataFrame API work. A process has one kind of session."""
    pytest.importorskip("grpc")
    assert run_script("tests.servers.spark_connect")[-1] == "all equal"
