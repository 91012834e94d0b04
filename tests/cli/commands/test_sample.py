"""Rows from the shell are those of the library."""

from __future__ import annotations

import io

import pyarrow.parquet as pq
from pyarrow import csv

import deciban as db


def test_rows_are_those_of_the_library(call):
    drawn = csv.read_csv(io.BytesIO(call("sample", "garden.bif", "-n", 20, "--seed", 3).stdout_bytes))
    assert drawn.to_pylist() == db.read_net("garden.bif").sample(20, random_state=3).to_pylist()


def test_rows_are_drawn_given_states_and_after_an_intervention(call, tmp_path):
    path = tmp_path / "rows.parquet"
    result = call("sample", "garden.bif", "-n", 50, "--given", "wet=yes", "--do", "sprinkler=no", "-o", path)
    rows = pq.read_table(path)
    assert set(rows["wet"].to_pylist()) == {"yes"} and set(rows["sprinkler"].to_pylist()) == {"no"}
    assert result.stderr == f"Wrote {path}: 50 rows\n"


def test_the_default_is_csv_also_in_a_file_of_another_name(call, tmp_path):
    call("sample", "garden.bif", "-n", 1, "-o", tmp_path / "rows.data")
    assert (tmp_path / "rows.data").read_text().startswith("season,sprinkler,rain,wet,slippery\n")
    assert call("sample", "garden.bif", "-n", 1, "--format", "table").stdout.startswith("season  sprinkler")


def test_numbers_are_drawn_from_a_gaussian_net(call, tmp_path):
    net = db.GaussianNet.from_parameters([("a", "b")], {"a": db.LinearGaussian(1), "b": db.LinearGaussian(0, {"a": 2})})
    db.save(net, tmp_path / "numbers.deciban")
    assert call("sample", tmp_path / "numbers.deciban", "-n", 2).stdout == "a,b\n1,2\n1,2\n"


def test_impossible_evidence_is_an_error(call):
    assert "P(e) = 0" in call("sample", "garden.bif", "--do", "sprinkler=no", "--given", "sprinkler=yes", code=1).stderr
