"""``fit_files``: the net of ``fit`` on the same rows, from every format; an error leaves the net as it was."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deciban as db
from deciban.errors import (
    CheckpointError,
    ColumnMismatchError,
    DecibanWarning,
    MissingValueError,
    SourceError,
    UnseenStateError,
)
from tests.engines.files.tables import SUFFIXES, write

ARROWS = [("sky", "grass"), ("month", "sky"), ("month", "heat")]


def weather(rows=4_000, seed=0):
    rng = np.random.default_rng(seed)
    month = rng.integers(1, 13, rows)
    sky = np.where(rng.random(rows) < month / 13, "sun", "rain")
    grass = np.where(rng.random(rows) < 0.9, sky == "rain", rng.random(rows) < 0.5)
    heat = pa.array(rng.integers(0, 3, rows), mask=rng.random(rows) < 0.05)
    return pa.table({"month": month, "sky": sky, "grass": grass, "heat": heat, "w": rng.integers(0, 3, rows) / 2})


TABLE = weather()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_format_gives_the_net_of_the_table(suffix, tmp_path):
    path = write(TABLE, tmp_path / f"rows{suffix}")
    for smoothing in (None, db.BDeu(5)):
        found = db.BayesNet(ARROWS).fit_files(path, missing="skip", smoothing=smoothing)
        assert found == db.BayesNet(ARROWS).fit(TABLE, missing="skip", smoothing=smoothing)
    found = db.BayesNet(ARROWS).fit_files([path], missing="skip", sample_weight="w")
    want = db.BayesNet(ARROWS).fit(TABLE, missing="skip", sample_weight=TABLE["w"].to_numpy())
    assert found == want and found.tally_ == want.tally_


def test_states_and_unseen_parents_are_those_of_fit(tmp_path):
    path = write(TABLE, tmp_path / "rows.csv")
    options = {"missing": "skip", "unseen_parents": "uniform", "states": {"sky": ["hail", "rain", "sun"]}}
    found = db.BayesNet(ARROWS).fit_files(path, **options)
    assert found == db.BayesNet(ARROWS).fit(TABLE, **options) and found.states["sky"][0] == "hail"
    assert found.unseen_parents_.count > 0
    with pytest.raises(UnseenStateError, match=r"column 'sky' has value '(rain|sun)', which is not one of"):
        db.BayesNet(ARROWS).fit_files(path, missing="skip", states={"sky": ["hail"]})


def test_a_net_from_files_learns_more_rows(tmp_path):
    path = write(TABLE.slice(0, 3_000), tmp_path / "rows.parquet")
    net = db.BayesNet(ARROWS).fit_files(path, missing="skip").partial_fit(TABLE.slice(3_000))
    assert net == db.BayesNet(ARROWS).fit(TABLE, missing="skip")


def test_an_error_leaves_the_net_as_it_was(tmp_path):
    path = write(TABLE, tmp_path / "rows.parquet")
    net = db.BayesNet(ARROWS).fit_files(path, missing="skip")
    before = db.BayesNet.from_tally(net.tally_)
    with pytest.raises(MissingValueError, match=r"column 'heat' has a missing value\. Pass missing=\"skip\""):
        net.fit_files(path)
    path.write_bytes(b"no table")
    with pytest.raises(SourceError, match="cannot be read as Parquet"):
        net.fit_files(path)
    assert net == before


def test_a_column_of_numbers_that_becomes_text_is_an_error(tmp_path):
    for name, held in {"a": [1, 2], "b": ["x", "y"]}.items():
        pq.write_table(pa.table({"u": held, "v": [0, 1]}), tmp_path / f"{name}.parquet")
    with pytest.raises(ColumnMismatchError, match=r"column 'u' is string in .*b\.parquet and int64 in .*a\.parquet"):
        db.BayesNet([("u", "v")]).fit_files(tmp_path)


def test_rows_that_cannot_be_read_are_left_out_if_asked(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("u,v\n" + "x,1\ny,2\n" * 20 + "x\n")
    with pytest.raises(SourceError, match="line 42"):
        db.BayesNet([("u", "v")]).fit_files(path)
    with pytest.warns(DecibanWarning, match="1 row could not be read"):
        net = db.BayesNet([("u", "v")]).fit_files(path, on_bad_row="skip")
    assert net.tally_.rows == 40


def test_a_type_can_be_given(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("zip,v\n" + "01,1\n02,2\n" * 20)
    assert db.BayesNet([("zip", "v")]).fit_files(path, schema={"zip": "string"}).states["zip"] == ("01", "02")


class _StoppedError(Exception):
    pass


def test_an_interrupted_call_is_continued(tmp_path, monkeypatch):
    monkeypatch.setattr("deciban.engines.files.source._SHARE", 0)  # write after every piece
    path = write(TABLE, tmp_path / "rows.parquet", batch=500)
    file = tmp_path / "fit.ckpt"

    def stop(step):
        if step.rows > 1_500:
            raise _StoppedError

    with pytest.raises(_StoppedError):
        db.BayesNet(ARROWS).fit_files(path, missing="skip", checkpoint=file, progress=stop)
    with pytest.raises(CheckpointError):
        db.BayesNet(ARROWS[:1]).fit_files(path, missing="skip", checkpoint=file)
    steps = []
    net = db.BayesNet(ARROWS).fit_files(path, missing="skip", checkpoint=file, progress=steps.append)
    assert net == db.BayesNet(ARROWS).fit(TABLE, missing="skip") and not file.exists()
    assert steps[0].rows > 1_500 and steps[-1].rows == 4_000
