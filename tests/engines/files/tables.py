"""Tables for the tests of sources, and ways to write them as files."""

import gzip
import json
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
from pyarrow import feather

SKIES = np.array(["sun", "rain, or not", 'a "quoted"\nline', "ö"])
SUFFIXES = [".csv", ".tsv", ".csv.gz", ".csv.zst", ".parquet", ".arrow", ".feather", ".jsonl", ".ndjson.gz"]


def mixed_table(rows, seed=0):
    """Numbers, whole numbers, labels and truth values with missing values, weights and classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    missing = rng.random((4, rows)) < 0.1
    return pa.table(
        {
            "real": pa.array(rng.normal(1e6 + y, 2.0, rows).round(3), mask=missing[0]),
            "whole": pa.array(rng.integers(0, 9, rows) + y, mask=missing[1]),
            "sky": pa.array(
                np.array(["sun", "rain, or not", 'a "quoted"\nline', "ö"])[rng.integers(0, 4, rows)], mask=missing[2]
            ),
            "flag": pa.array(rng.random(rows) < 0.5, mask=missing[3]),
            "w": rng.integers(1, 4, rows) / 2,
            "y": np.array(["a", "b", "c"])[y],
        }
    )


def write(table, path, batch=1000):
    """Write a table in the format of the suffix."""
    name = path.name
    if name.endswith((".parquet",)):
        pq.write_table(table, path, row_group_size=batch)
    elif name.endswith(".feather"):
        feather.write_feather(table, path, chunksize=batch)
    elif name.endswith(".arrow"):
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table, max_chunksize=batch)
    elif name.endswith((".csv", ".tsv")):
        pc.write_csv(table, path, pc.WriteOptions(delimiter="\t" if name.endswith("tsv") else ","))
    elif name.endswith((".jsonl", ".ndjson")):
        path.write_text("".join(f"{json.dumps(row)}\n" for row in table.to_pylist()), encoding="utf-8")
    else:
        plain = path.with_suffix("")
        write(table, plain)
        compressed = (
            gzip.compress(plain.read_bytes())
            if name.endswith("gz")
            else pa.compress(plain.read_bytes(), "zstd", asbytes=True)
        )
        path.write_bytes(compressed)
        plain.unlink()
    return path


def write_parts(table, folder, suffix, ends):
    """Write the rows between `ends` as files part-0, part-1 and so on."""
    bounds = [0, *ends, len(table)]
    for i, (start, end) in enumerate(pairwise(bounds)):
        write(table.slice(start, end - start), folder / f"part-{i}{suffix}")
    return folder
