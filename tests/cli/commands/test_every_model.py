"""Every command takes every kind of saved model: it does its work, or says why it cannot; there is never a traceback.

What cannot be done leaves no file behind.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from typer.testing import CliRunner

import deciban as db
from deciban.cli.main import COMMANDS, app

RNG = np.random.default_rng(0)
ROWS = 120
Y = RNG.integers(0, 2, ROWS)
SPAM = np.array(["win cheap money now and claim your free prize", "see you at noon for lunch with the old friends"])
TEXTS = [f"{SPAM[y]} {' '.join(f'w{k}' for k in RNG.integers(0, 400, 6))}" for y in Y]
COLUMNS = {
    "sky": np.array(["sun", "rain", "fog"])[(Y + RNG.integers(0, 2, ROWS)) % 3],
    "warm": RNG.normal(Y, 1.0),
    "guests": [None if k == 0 else int(k) for k in RNG.integers(0, 4, ROWS)],
    "note": TEXTS,
    "play": np.array(["no", "yes"])[Y],
}
TABLE = pa.table(COLUMNS)
NUMBERS = {"warm": COLUMNS["warm"], "count": RNG.integers(0, 5, ROWS)}
PLAY = COLUMNS["play"]


def _of(*names: str) -> pa.Table:
    return TABLE.select([*names, "play"])


def _net() -> db.BayesNet:
    return db.BayesNet(db.DAG([("play", "sky")])).fit(TABLE.select(["sky", "play"]))


MODELS: dict[str, Callable[[], object]] = {
    "naive": lambda: db.NaiveBayes().fit(_of("sky", "warm", "guests"), "play"),
    "naive, missing as a state": lambda: db.NaiveBayes(missing="state").fit(_of("sky", "guests"), "play"),
    "naive, mixed with text": lambda: db.NaiveBayes().fit(_of("sky", "warm", "note"), "play"),
    "naive, only text": lambda: db.NaiveBayes().fit(_of("note"), "play"),
    "naive, calibrated": lambda: (
        db.NaiveBayes().fit(_of("sky", "warm"), "play").calibrate(TABLE.select(["sky", "warm"]), PLAY)
    ),
    "naive, rejecting": lambda: db.NaiveBayes(reject=0.8).fit(_of("sky"), "play"),
    "tan": lambda: db.TAN().fit(_of("sky", "guests"), "play"),
    "aode": lambda: db.AODE().fit(_of("sky", "guests"), "play"),
    "net classifier": lambda: db.BayesNetClassifier().fit(_of("sky", "guests"), "play"),
    "kdb": lambda: db.KDB().fit(_of("sky", "warm", "guests"), "play"),
    "discriminant": lambda: db.Discriminant().fit(_of("sky", "warm", "guests"), "play"),
    "forest": lambda: db.CountForest(n_trees=3).fit(_of("sky", "warm", "guests"), "play"),
    "combined": lambda: db.AutoBayes().fit(_of("sky", "warm"), "play"),
    "joint": lambda: db.JointBayes(missing="skip").fit(_of("sky", "guests"), "play"),
    "gaussian": lambda: db.GaussianNB().fit(TABLE.select(["warm"]), PLAY),
    "gaussian of an array": lambda: db.GaussianNB().fit(np.column_stack([*NUMBERS.values()]), PLAY),
    "multinomial": lambda: db.MultinomialNB().fit({"count": NUMBERS["count"]}, PLAY),
    "complement": lambda: db.ComplementNB().fit({"count": NUMBERS["count"]}, PLAY),
    "bernoulli": lambda: db.BernoulliNB().fit({"count": NUMBERS["count"]}, PLAY),
    "categorical": lambda: db.CategoricalNB().fit({"count": NUMBERS["count"]}, PLAY),
    "text": lambda: db.TextNB().fit(TEXTS, PLAY),
    "text, hashed": lambda: db.TextNB(n_bits=10).fit(TEXTS, PLAY),
    "text, by presence": lambda: db.TextNB("bernoulli").fit(TEXTS, PLAY),
    "ratio": lambda: db.LogCountRatio().fit(TEXTS, PLAY),
    "ratio, by margins": lambda: db.LogCountRatio(classifier="svm").fit(TEXTS, PLAY),
    "text, few labels": lambda: db.TextEM().fit(TEXTS, [y if k % 3 else None for k, y in enumerate(PLAY)]),
    "net": _net,
    "gaussian net": lambda: db.GaussianNet(db.DAG([("warm", "count")])).fit(NUMBERS),
    "tally": lambda: db.tally(_of("sky", "warm", "guests"), target="play"),
    "net tally": lambda: _net().tally_,
}

CALLS = {
    "predict": ["predict", "MODEL", "rows.csv", "--posteriors", "-o", "out.csv"],
    "predict one row": ["predict", "MODEL", "row.json"],
    "predict documents": ["predict", "MODEL", "rows.csv", "--text", "note", "-o", "out.csv"],
    "evaluate": ["evaluate", "MODEL", "rows.csv", "-t", "play", "-o", "out.txt"],
    "evaluate documents": ["evaluate", "MODEL", "rows.csv", "-t", "play", "--text", "note", "--format", "json"],
    "explain": ["explain", "MODEL", "rows.csv", "--rows", "3", "-o", "out.txt"],
    "explain one row": ["explain", "MODEL", "row.json", "--against", "no"],
    "explain documents": ["explain", "MODEL", "rows.csv", "--text", "note", "--format", "json", "-o", "out.json"],
    "inspect": ["inspect", "MODEL", "-o", "out.txt"],
    "inspect as JSON": ["inspect", "MODEL", "--format", "json"],
    "report": ["report", "MODEL", "rows.csv", "-t", "play", "-o", "out.html"],
    "report on rows": ["report", "MODEL", "rows.csv", "-o", "out.html"],
    "report on documents": ["report", "MODEL", "rows.csv", "-t", "play", "--text", "note", "-o", "out.html"],
    "report without data": ["report", "MODEL", "-o", "out.html"],
    "forget": ["forget", "MODEL", "some.csv", "-t", "play", "-o", "out.deciban"],
    "forget documents": ["forget", "MODEL", "some.csv", "-t", "play", "--text", "note", "-o", "out.deciban"],
    "merge": ["merge", "MODEL", "MODEL", "-o", "out.deciban"],
    "sql": ["sql", "MODEL", "--dialect", "sqlite", "--explain", "-o", "out.sql"],
    "fit": ["fit", "MODEL", "-o", "out.deciban"],
    "serve": ["serve", "MODEL", "--check"],
    "query": ["query", "MODEL", "P(sky | play=yes)", "-o", "out.json"],
    "do": ["do", "MODEL", "play=yes", "--on", "sky"],
    "sample": ["sample", "MODEL", "-n", "5", "-o", "out.csv"],
    "convert": ["convert", "MODEL", "out.bif"],
    "discover": ["discover", "MODEL", "-o", "out.json"],
    "search": ["search", "MODEL", "-o", "out.bif"],
    "tally of it": ["tally", "MODEL", "-t", "play", "-o", "out.tally"],
}
WITHOUT_A_MODEL = {"demo"}

_TABLES = {name for name in MODELS if not name.startswith(("text", "ratio", "net", "gaussian net", "tally"))} | {
    "net classifier"
}
_UNNAMED = {"gaussian of an array"}
_COUNTS = {"multinomial", "complement", "bernoulli", "categorical"}
_TEXT = {name for name in MODELS if name.startswith(("text", "ratio"))}
_READ = _TABLES - _UNNAMED
_SQL = {"naive", "naive, missing as a state", "naive, calibrated", "naive, rejecting", "tan", "aode"}
_SQL |= _COUNTS | {"gaussian", "gaussian of an array"}
_WITH_POSTERIORS = _TEXT - {"ratio, by margins"}
_SUMS = {"text", "text, hashed", "text, by presence"}
_NETS = {"net", "gaussian net"}
DONE = {
    "predict": _READ,
    "predict one row": _READ | _WITH_POSTERIORS,
    "predict documents": _WITH_POSTERIORS,
    "evaluate": _READ,
    "evaluate documents": _WITH_POSTERIORS,
    "explain": _READ,
    "explain one row": _READ | _TEXT,
    "explain documents": _TEXT,
    "inspect": set(MODELS),
    "inspect as JSON": set(MODELS),
    "report": _READ,
    "report on rows": _READ - {"gaussian", *_COUNTS} | _NETS,
    "report on documents": _WITH_POSTERIORS,
    "report without data": _NETS,
    "forget": _READ,
    "forget documents": _SUMS,
    "merge": set(MODELS) - _TEXT | _SUMS,
    "sql": _SQL,
    "fit": {"tally"},
    "serve": set(MODELS) - {"tally", "net tally"},
    "query": {"net"},
    "do": {"net"},
    "sample": _NETS,
    "convert": {"net"},
    "discover": set(),
    "search": set(),
    "tally of it": set(),
}
"""The models for which a command does its work; for the others it says why not."""


def _file(name: str) -> str:
    return f"{name.replace(',', '').replace(' ', '-')}.deciban"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All models as files, and rows for them."""
    made = tmp_path_factory.mktemp("models")
    rows = TABLE.append_column("count", [NUMBERS["count"]])
    pyarrow.csv.write_csv(rows, made / "rows.csv")
    pyarrow.csv.write_csv(rows.slice(0, 4), made / "some.csv")
    (made / "row.json").write_text(
        '{"sky": "sun", "warm": 0.5, "guests": 2, "count": 1, "note": "free", "text": "free"}'
    )
    for name, make in MODELS.items():
        db.save(make(), made / _file(name))
    return made


def test_every_command_is_in_the_table() -> None:
    assert {command.name for command in COMMANDS} == {call[0] for call in CALLS.values()} | WITHOUT_A_MODEL
    assert DONE.keys() == CALLS.keys()


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("call", CALLS)
def test_it_is_done_or_one_line_says_why_not(folder: Path, monkeypatch, call: str, name: str) -> None:
    monkeypatch.chdir(folder)
    for left in folder.glob("out.*"):
        left.unlink()
    before = {file: file.read_bytes() for file in folder.iterdir()}
    arguments = [_file(name) if each == "MODEL" else each for each in CALLS[call]]
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    assert (result.exit_code == 0) == (name in DONE[call]), result.output
    after = {file: file.read_bytes() for file in folder.iterdir() if not file.name.startswith("out.")}
    assert after == before
    if result.exit_code:
        assert result.exit_code in (1, 2, 3) and "Error" in result.stderr
        assert "Traceback" not in result.stderr
        assert list(folder.glob("out.*")) == []
    else:
        assert not [each for each in CALLS[call] if each.startswith("out.")] or list(folder.glob("out.*"))
