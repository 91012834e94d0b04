"""Dask counts partitions in processes of its own, and the sum of the tallies is the tally of the whole.

There is no code for Dask in deciban: these tests run the recipe of docs/how-to/scale.md on a real cluster of two
workers.
"""

import io
import operator
import os
import runpy
import signal
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import deciban as db

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

pytestmark = [pytest.mark.servers, pytest.mark.filterwarnings("default")]

SNIPPET = Path(__file__).parents[2] / "docs" / "snippets" / "scale" / "scale_dask.py"
ROWS = 3000


@pytest.fixture(scope="module")
def client():
    """A cluster of two worker processes with one thread each."""
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def table():
    """Numbers, labels, whole numbers, booleans and text, some of them missing, some only in the last rows."""
    rng = np.random.default_rng(0)
    words = ["sun", "rain", "wind", "cloud", "frost", "storm", "mild"]
    table = pd.DataFrame(
        {
            "sky": pd.Series(rng.choice(["sun", "rain", "fog"], ROWS)).mask(rng.random(ROWS) < 0.1),
            "warm": pd.Series(rng.normal(15.0, 5.0, ROWS)).mask(rng.random(ROWS) < 0.1),
            "doors": pd.Series(rng.integers(2, 6, ROWS), dtype="Int64"),
            "open": rng.random(ROWS) < 0.3,
            "note": [" ".join(rng.choice(words, 9)) for _ in range(ROWS)],
            "play": rng.choice(["yes", "no"], ROWS, p=[0.3, 0.7]),
        }
    )
    table.loc[2950:, "doors"] = pd.NA
    table.loc[:200, "sky"] = pd.NA
    table.loc[2900:, "play"] = "maybe"
    return table


def parts_of(table, number):
    """The table in parts, each read from CSV text by itself, so that the types of a column differ between parts."""
    ends = np.linspace(0, len(table), number + 1).astype(int)
    return [table.iloc[a:b].to_csv(index=False) for a, b in pairwise(ends)]


def read(text):
    return pd.read_csv(io.StringIO(text))


def count_table(text, schema):
    return db.NaiveBayes(columns=schema, weights=None).fit(read(text), "play").tally_


def count_documents(text):
    rows = read(text)
    return db.TextNB().fit(rows["note"], rows["play"]).tally_


def count_pairs(text, schema):
    return db.AODE(columns=schema).fit(read(text).drop(columns="note"), "play").tally_


def count_families(text, dag):
    rows = read(text)[["sky", "open", "play"]]
    return db.BayesNet(dag).fit(rows.astype({"open": object}), missing="skip").tally_


def process(text):
    return os.getpid()


@pytest.mark.parametrize("number", [1, 4, 17])
def test_the_sum_of_the_partitions_is_the_whole(client, table, number):
    schema = db.NaiveBayes().fit(table.sample(500, random_state=0), "play").schema_
    parts = parts_of(table, number)
    if number > 1:
        assert len({str(read(part)["doors"].dtype) for part in parts}) == 2
    total = client.submit(sum, client.map(count_table, parts, schema=schema)).result()
    whole = db.NaiveBayes(columns=schema, weights=None).fit(table, "play")
    assert [type(part) for part in total.parts] == [type(part) for part in whole.tally_.parts]
    assert total.class_counts.tolist() == whole.tally_.class_counts.tolist()
    model = db.NaiveBayes.from_tally(total, columns=schema, weights=None)
    rows = table.drop(columns="play")
    np.testing.assert_allclose(model.predict_proba(rows), whole.predict_proba(rows), rtol=0, atol=1e-9)


def test_partitions_are_counted_in_other_processes(client, table):
    found = set(client.gather(client.map(process, parts_of(table, 8))))
    assert len(found) == 2
    assert os.getpid() not in found


def test_a_tree_of_sums_gives_the_same_tally(client, table):
    """`fold` adds tallies in a tree, for jobs with many partitions."""
    import dask.bag  # noqa: PLC0415

    parts = dask.bag.from_sequence(parts_of(table, 9), npartitions=9)
    total = parts.map(count_documents).fold(operator.add, split_every=2).compute()
    assert total == db.TextNB().fit(table["note"], table["play"]).tally_


def test_pairs_and_families_add_up(client, table):
    parts = parts_of(table, 5)
    schema = db.AODE().fit(table.drop(columns="note").sample(500, random_state=0), "play").schema_
    pairs = sum(client.gather(client.map(count_pairs, parts, schema=schema)))
    assert pairs == db.AODE(columns=schema).fit(table.drop(columns="note"), "play").tally_
    dag = db.DAG([("sky", "play"), ("open", "play")])
    families = sum(client.gather(client.map(count_families, parts, dag=dag)))
    assert families == count_families(table.to_csv(index=False), dag)


def test_a_worker_that_is_lost_costs_no_row(client, table):
    """Dask counts the partitions of a lost worker again; a tally is a value, so none is counted twice."""
    schema = db.NaiveBayes().fit(table.sample(500, random_state=0), "play").schema_
    parts = parts_of(table, 40)
    futures = client.map(count_table, parts, schema=schema, pure=False)
    distributed.wait(futures[:5])
    lost = next(iter(client.run(os.getpid).values()))
    os.kill(lost, signal.SIGKILL)
    total = client.submit(sum, futures, pure=False).result(timeout=100)
    assert total.total == len(table)
    assert lost not in client.run(os.getpid).values()


def test_the_recipe_of_the_page_runs_on_a_cluster(client, capsys):
    """The same lines as in docs/how-to/scale.md: with a client, Dask runs them on its workers."""
    runpy.run_path(str(SNIPPET), run_name="__main__")
    assert capsys.readouterr().out.startswith("12000 rows: {'late': 3231, 'on time': 8769}")
