"""Checkpoints: an interrupted call is continued, by the same call only."""

import subprocess
import sys
import time

import pytest

import deciban as db
from deciban.engines.files import text_files as lines
from deciban.engines.files.source import Checkpoint, FileSource
from deciban.engines.tally import TableCounting
from deciban.errors import CheckpointError, SourceError
from tests.engines.files.tables import mixed_table, write, write_parts

TABLE = mixed_table(3_000)


class StoppedError(Exception):
    pass


class StoppingCounting(TableCounting):
    """Counts, and stops after some pieces."""

    left = 10**9

    def __call__(self, batch):
        type(self).left -= 1
        if type(self).left < 0:
            raise StoppedError
        return super().__call__(batch)


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".arrow"])
def test_an_interrupted_call_is_continued(suffix, tmp_path, monkeypatch):
    monkeypatch.setattr(lines.TextFile.blocks, "__defaults__", (1_000,))
    monkeypatch.setattr("deciban.engines.files.source._SHARE", 0)
    folder = tmp_path / "rows"
    folder.mkdir()
    write_parts(TABLE, folder, suffix, [900])
    kept = tmp_path / "fit.ckpt"
    calls = 0
    while True:
        StoppingCounting.left = 3
        calls += 1
        try:
            found = FileSource.of(folder, checkpoint=kept).count(StoppingCounting("y"))
            break
        except StoppedError:
            continue
    assert calls > 1 and not kept.exists()
    assert found == db.tally(TABLE, target="y")


def test_a_checkpoint_of_something_else_is_refused_and_kept(tmp_path):
    path = write(TABLE, tmp_path / "rows.csv")
    kept = tmp_path / "fit.ckpt"
    source = FileSource.of(path, checkpoint=kept)
    source._checkpoint(TableCounting("y")).save(lambda: {"position": [0, 0, 0, 0, 0], "tally": {}}, now=True)
    before = kept.read_bytes()
    with pytest.raises(CheckpointError, match=r"belongs to another model or target \(counted: .*'sky'"):
        db.tally(path, target="sky", checkpoint=kept)
    with pytest.raises(CheckpointError, match="another model or target"):
        db.NaiveBayes().fit_files(path, target="y", checkpoint=kept)
    other = write(TABLE.slice(1), tmp_path / "other.csv")
    with pytest.raises(CheckpointError, match=r"belongs to another source, .*files: .*other.csv"):
        db.tally(other, target="y", checkpoint=kept)
    write(TABLE.slice(1), path)
    with pytest.raises(CheckpointError, match="or its files have changed"):
        db.tally(path, target="y", checkpoint=kept)
    assert kept.read_bytes() == before


def test_a_file_that_is_no_checkpoint_is_refused_and_kept(tmp_path):
    path = write(TABLE, tmp_path / "rows.csv")
    for name, content in (("text", b"some notes"), ("cut", None)):
        kept = tmp_path / name
        if content is None:
            db.save(db.tally(TABLE, target="y"), kept)
        else:
            kept.write_bytes(content)
        before = kept.read_bytes()
        with pytest.raises(CheckpointError, match="cannot be read"):
            db.tally(path, target="y", checkpoint=kept)
        assert kept.read_bytes() == before


def test_an_error_leaves_the_checkpoint_and_the_model(tmp_path, monkeypatch):
    monkeypatch.setattr(lines.TextFile.blocks, "__defaults__", (1_000,))
    monkeypatch.setattr("deciban.engines.files.source._SHARE", 0)
    path = write(TABLE, tmp_path / "rows.csv")
    model = db.NaiveBayes().fit(TABLE.slice(0, 50).drop(["w"]), "y")
    before = model.tally_
    with path.open("a") as file:
        file.write("1,2\n")
    with pytest.raises(SourceError, match=r"line .*: it has 2 values"):
        model.fit_files(path, target="y", checkpoint=tmp_path / "fit.ckpt")
    assert model.tally_ is before
    assert (tmp_path / "fit.ckpt").exists()


def test_writing_takes_a_small_part_of_the_time(tmp_path):
    checkpoint = Checkpoint(tmp_path / "c", {"files": ["a"]}, "something")
    written = 0

    def state():
        nonlocal written
        written += 1
        time.sleep(0.02)
        return {"position": [0], "tally": {}}

    start = time.perf_counter()
    while time.perf_counter() - start < 0.3:
        checkpoint.save(state)
    assert written == 1


KILLED = """
import os, random, signal, sys, time
import deciban as db
from deciban.engines.files import text_files as lines
from deciban.models.naive_bayes import NaiveBayes

lines.TextFile.blocks.__defaults__ = (4_000,)
source, kept, out = sys.argv[1:]
rng, kills, moments = random.Random(0), 0, set()

def written():
    try:
        return os.stat(kept).st_mtime_ns
    except FileNotFoundError:
        return None

while not os.path.exists(out):
    child = os.fork()  # nothing has started a thread yet
    if child == 0:
        db.save(NaiveBayes(weights=None).fit_files(source, target="y", checkpoint=kept), out)
        os._exit(0)
    if kills < 20:
        before, start = written(), time.time()
        while kills % 4 and written() == before and time.time() < start + 5:  # one in four at any time
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.05))
        os.kill(child, signal.SIGKILL)
    if os.WIFSIGNALED(os.waitpid(child, 0)[1]):
        kills += 1
        moments.add(os.path.exists(kept))
    elif kills < 20:
        os.remove(out)  # it ended before the kill: once more
print(kills, sorted(moments))
"""


def test_twenty_kills_end_in_the_same_tally(tmp_path):
    folder = tmp_path / "rows"
    folder.mkdir()
    table = mixed_table(60_000, seed=1)
    write_parts(table, folder, ".csv", [20_000, 20_001])
    kept, out = tmp_path / "fit.ckpt", tmp_path / "model.deciban"
    call = [sys.executable, "-c", KILLED, str(folder), str(kept), str(out)]
    run = subprocess.run(call, capture_output=True, text=True, check=True, timeout=300)
    assert run.stdout.startswith("20 ") and "True" in run.stdout  # some kills came while a checkpoint was there
    assert not kept.exists()
    expected = db.NaiveBayes(weights=None).fit_files(folder, target="y")
    assert db.load(out).tally_ == expected.tally_
    assert expected.tally_.total == len(table)
