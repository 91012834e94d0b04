"""A learned graph is a file: it says the same after it was loaded, and holds no rows."""

import pickle

import numpy as np
import pytest

import deciban as db
from deciban.errors import DamagedFileError, FileError, ParameterError
from deciban.nets import FisherZ
from deciban.storage import codec
from deciban.storage.description import describe_file

rng = np.random.default_rng(0)
SEASON = rng.integers(0, 3, 300)
RAIN = np.where(rng.random(300) < 0.8, SEASON > 0, SEASON > 1).astype(int)
WET = np.where(rng.random(300) < 0.8, RAIN, rng.integers(0, 2, 300))
ROWS = {"season": SEASON, "rain": RAIN, "wet": WET, "slippery": np.where(rng.random(300) < 0.8, WET, 0)}
NUMBERS = {name: column + rng.normal(size=300) for name, column in ROWS.items()}
ORACLE = db.Oracle(db.DAG([("gene", "a"), ("gene", "b"), ("c", "a"), ("d", "b")]), latent=["gene"])
RESULTS = {
    "pc": lambda: db.discover(ROWS),
    "fisher_z": lambda: db.discover(NUMBERS, test=FisherZ(), alpha=0.05),
    "determined": lambda: db.discover({**ROWS, "copy": SEASON}),
    "knowledge": lambda: db.discover(ROWS, knowledge=db.Knowledge(tiers=[["season"], ["rain", "wet", "slippery"]])),
    "fci": lambda: db.discover(ORACLE, "fci"),
    "ges": lambda: db.search(ROWS, penalty=2),
    "tabu": lambda: db.search(NUMBERS, method="tabu"),
    "interventions": lambda: db.search(ROWS, interventions=["rain" if i % 3 else None for i in range(300)]),
    "em": lambda: db.search({**ROWS, "rain": [None, *RAIN[1:].tolist()]}, missing="em"),
}


def saved(result, folder):
    db.save(result, folder / "found.deciban")
    return db.load(folder / "found.deciban")


@pytest.mark.parametrize("kind", RESULTS)
def test_a_loaded_result_says_the_same(kind, tmp_path):
    result = RESULTS[kind]()
    for again in (saved(result, tmp_path), pickle.loads(pickle.dumps(result))):  # noqa: S301  our own
        assert again.graph == result.graph and again.graph.nodes == result.graph.nodes
        assert (repr(again), again.notes, again.citation()) == (repr(result), result.notes, result.citation())
        assert again.rows == result.rows and again.version == db.__version__
        if isinstance(result, db.nets.Discovery):
            assert again.removed == result.removed and again.colliders == result.colliders
            assert str(again.report()) == str(result.report()) and again.reasons == result.reasons
            x, y = result.graph.nodes[:2]
            assert again.explain(x, y) == result.explain(x, y)
        else:
            assert again == result and again.dag == result.dag


def test_rows_are_not_in_the_file_but_in_a_pickle(tmp_path):
    for result in (db.discover(ROWS), db.search(ROWS)):
        with pytest.raises(ParameterError, match="from a file"):
            saved(result, tmp_path).bootstrap(3)
        again = pickle.loads(pickle.dumps(result))  # noqa: S301  our own
        assert again.bootstrap(3).edges == result.bootstrap(3).edges
    with pytest.raises(ParameterError, match="no rows to test"):
        saved(db.discover(ROWS), tmp_path).test.independent("rain", "wet")


def test_a_confidence_is_a_file(tmp_path):
    found = db.search(ROWS).bootstrap(5)
    again = saved(found, tmp_path)
    assert repr(again) == repr(found) and again.averaged() == found.averaged()
    assert "Confidence from 5 draws" in str(describe_file(tmp_path / "found.deciban"))


def test_a_description_shows_the_result(tmp_path):
    result = db.search(ROWS)
    db.save(result, tmp_path / "found.deciban")
    shown = str(describe_file(tmp_path / "found.deciban"))
    assert shown.startswith("SearchResult of 300 rows, 4 nodes") and result.summary in shown
    assert "Chickering DM (2002)" in shown


def test_damage_and_nonsense_are_refused(tmp_path):
    path = tmp_path / "found.deciban"
    db.save(db.discover(ROWS), path)
    raw = bytearray(path.read_bytes())
    raw[-3] ^= 1
    path.write_bytes(raw)
    with pytest.raises(DamagedFileError):
        db.load(path)
    db.save(db.discover(ROWS), path)
    header, arrays = codec.unpack(path.read_bytes(), "it")
    content = {key: value for key, value in header.items() if key not in ("format", "version", "deciban")}
    wrong = {
        "do not fit its nodes": {n: a[:2] for n, a in arrays.items() if a.dtype == bool},
        "name unknown nodes": {n: a + 99 for n, a in arrays.items() if a.dtype == np.int64},
    }
    for message, changed in wrong.items():
        path.write_bytes(codec.pack(content, {**arrays, **changed}))
        with pytest.raises(FileError, match=f"cannot read it.*{message}"):
            db.load(path)


def test_a_citation_names_what_was_done():
    found = db.discover(NUMBERS, alpha=0.05).citation()
    assert found.startswith(
        "The graph was learned by PC-stable with Fisher's z test (α = 0.05) from 300 rows, 4 columns"
    )
    assert "Colombo D, Maathuis MH (2014)" in found
    assert "(penalty 2)" in db.search(ROWS, penalty=2).citation()
    assert "BDeu(ess=1) from 300 rows" in db.search(ROWS, db.BDeu(1)).citation()
    assert "from an oracle" in db.search(db.Oracle(db.DAG([("a", "b")]))).citation()
