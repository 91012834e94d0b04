"""Columns with very many states take memory that grows with the rows, or are refused before memory is taken."""

import subprocess
import sys

import numpy as np
import pytest

import deciban as db
from deciban.errors import DecibanError, TooLargeError

WIDE = """
import resource, numpy as np, deciban as db
rng = np.random.default_rng(0)
data = {name: np.tile(rng.permutation(20_000), 3) for name in "ab"}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = db.discover(data, test="g2")
assert found.removal("a", "b").verdict == "none"
db.search(data, "bic")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_two_columns_of_many_states_are_tested_in_little_memory():
    """A table of 20,000 × 20,000 counts would take 1.5 GiB."""
    done = subprocess.run([sys.executable, "-c", WIDE], capture_output=True, encoding="utf-8", check=True, timeout=120)
    assert int(done.stdout) < 300


def test_columns_that_name_rows_are_refused():
    ids = np.arange(30_000)
    with pytest.raises(DecibanError, match="names rows"):
        db.discover({"a": ids, "b": ids[::-1]}, test="g2")


def test_a_net_of_two_wide_nodes_is_refused_before_its_table_is_made():
    codes = np.tile(np.arange(60_000), 2)
    with pytest.raises(TooLargeError, match="GiB"):
        db.BayesNet([("a", "b")]).fit({"a": codes, "b": codes}, columns={"a": "category", "b": "category"})
