"""Model files whose checksum is right and whose content is not: changed arrays, shapes, types and JSON.

A file is read, or refused with an error of deciban's; a model that was read predicts, or says why it cannot.
"""

import copy
import json
import random
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import deciban as db
from deciban.errors import DecibanError
from deciban.storage import codec
from tests.fuzz import LEAST_CASES, case_folder

ROWS = 24
NUMBERS = [0, 1, -1, 2, 3, 255, 2**31 - 1, 2**31, 2**32, 2**63 - 1, -(2**63), 1e308, 1e-320, 0.5, -0.5]
VALUES = [None, True, [], {}, "", "x", "nan", {"float": "nan"}, {"float": "-inf"}, {"tuple": []}, {"map": []}, *NUMBERS]
DTYPES = [np.float64, np.float32, np.int64, np.int32, np.uint32, np.uint8, np.bool_]


def run(seconds: float, seed: int) -> int:
    """Try files until time is up and the least number of cases has been tried."""
    draw, folder = random.Random(seed), case_folder()  # noqa: S311
    made = [(name, data, _content(model, folder)) for name, model, data in _models()]
    end, cases = time.monotonic() + seconds, 0
    while time.monotonic() < end or cases < LEAST_CASES:
        name, data, (header, arrays) = draw.choice(made)
        path = folder / "case.deciban"
        _write(path, *_mutated(header, arrays, draw))
        _try(path, data, f"seed {seed}, case {cases}, {name}")
        cases += 1
    return cases


def _try(path: Path, data: Any, which: str) -> None:
    try:
        model = db.load(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # counts that no sample has may make numpy warn
            _use(model, data)
    except DecibanError:
        pass
    except Exception as error:
        raise AssertionError(f"{which}: {path} raises {type(error).__name__}: {error}") from error
    path.unlink()


def _use(model: Any, data: Any) -> None:
    if isinstance(model, db.BayesNet | db.GaussianNet):
        model.marginals()
    else:
        model.predict(data)
        model.predict_proba(data)


def _content(model: Any, folder: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    path = folder / "seed.deciban"
    db.save(model, path)
    header, arrays = codec.unpack(path.read_bytes(), "seed")
    path.unlink()
    return header, dict(arrays)


def _write(path: Path, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """A file with the right checksum."""
    held = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    path.write_bytes(codec.pack(header, held))


def _mutated(header: dict[str, Any], arrays: dict[str, np.ndarray], draw: random.Random) -> tuple[Any, Any]:
    header, arrays = copy.deepcopy(header), dict(arrays)
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        if arrays and draw.random() < 0.6:
            name = draw.choice(list(arrays))
            arrays[name] = _mutated_array(arrays[name], draw)
        else:
            _mutate_json(header, draw)
    return header, arrays


def _mutated_array(array: np.ndarray, draw: random.Random) -> np.ndarray:
    kind = draw.randrange(7)
    if kind == 0 or not array.size:
        return np.zeros(draw.choice([(), (0,), (1,), (3,), (2, 3), (0, 4)]), dtype=draw.choice(DTYPES))
    if array.ndim and kind in (1, 2, 4):
        return {1: array[: draw.randrange(len(array))], 2: np.concatenate([array, array]), 4: array[::-1]}[kind]
    if kind == 3:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return array.astype(draw.choice(DTYPES))
    return _with_other_values(array, draw)


def _with_other_values(array: np.ndarray, draw: random.Random) -> np.ndarray:
    changed = array.copy().reshape(-1)
    for _ in range(draw.choice([1, 1, 3])):
        at = draw.randrange(len(changed))
        if changed.dtype.kind == "f":
            with np.errstate(over="ignore", under="ignore"):  # of a float32
                changed[at] = draw.choice([np.nan, np.inf, -np.inf, -1.0, 0.0, 1e308, 1e-320])
        elif changed.dtype.kind == "b":
            changed[at] = not changed[at]
        else:
            low, high = np.iinfo(changed.dtype).min, np.iinfo(changed.dtype).max
            changed[at] = draw.choice([low, high, 0, 1, 2, 7, high // 2])
    return changed.reshape(array.shape)


def _mutate_json(header: dict[str, Any], draw: random.Random) -> None:
    """Replace, drop or swap one value somewhere in the header."""
    places: list[tuple[Any, Any]] = []

    def walk(value: Any) -> None:
        for key in value if isinstance(value, dict) else range(len(value)):
            places.append((value, key))
            if isinstance(value[key], dict | list):
                walk(value[key])

    walk(header)
    holder, key = draw.choice(places)
    if holder is header and key in ("format", "version"):
        return
    kind = draw.randrange(4)
    if kind == 0 and isinstance(holder, dict):
        del holder[key]
    elif kind == 1:
        other, place = draw.choice(places)
        if json.dumps(other[place], default=str) != json.dumps(holder, default=str):
            holder[key] = copy.deepcopy(other[place])
    else:
        holder[key] = draw.choice(VALUES)


def _models() -> list[tuple[str, Any, Any]]:
    """Every kind of model, fitted, and what it predicts."""
    source = np.random.default_rng(0)
    y = np.array(["no", "perhaps", "yes"])[np.arange(ROWS) % 3]
    codes = source.integers(0, 3, (ROWS, 3))
    numbers = source.normal(size=(ROWS, 3)) + codes
    words = np.array(["sun", "rain", "hail", "snow", "wind", "é"])
    texts = [" ".join(words[source.integers(0, 6, 4)]) for _ in range(ROWS)]
    mixed = {"sky": words[codes[:, 0]].tolist(), "size": np.exp(numbers[:, 0]), "count": codes[:, 1], "note": texts}
    gapped = {**mixed, "sky": [None if i % 5 == 0 else v for i, v in enumerate(mixed["sky"])]}
    numeric = [db.Gaussian(), db.LogNormal(), db.Exponential(), db.Kernel(), db.Binned(bins=3)]
    tables = [
        *((f"naive-{type(k).__name__}", db.NaiveBayes({"size": k, "count": db.Poisson()}), mixed) for k in numeric),
        ("naive-nb", db.NaiveBayes({"count": db.NegativeBinomial(), "note": db.Text(), "size": db.Ignore()}), mixed),
        ("naive-gaps", db.NaiveBayes({"note": db.Text(n_bits=4)}, missing="state"), gapped),
        *(
            (name, getattr(db, name)(), codes)
            for name in ("MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB")
        ),
        ("GaussianNB", db.GaussianNB(), numbers),
        ("JointBayes", db.JointBayes(), codes),
        ("TAN", db.TAN(), codes),
        ("AODE", db.AODE(), codes),
        ("BayesNetClassifier", db.BayesNetClassifier(), codes),
    ]
    events = ("boolean", "multinomial", "bernoulli", "complement", "twcnb")
    documents = [
        *((f"text-{event}", db.TextNB(event), texts) for event in events),
        ("text-bigrams", db.TextNB(ngram_range=(1, 2), min_count=2), texts),
        ("text-hashed", db.TextNB(n_bits=5), texts),
        ("text-alpha", db.TextNB("multinomial", smoothing=0.0), texts),
        ("LogCountRatio", db.LogCountRatio(), texts),
        ("TextEM", db.TextEM(), texts),
    ]
    fitted = [(name, model.fit(data, y), data) for name, model, data in (*tables, *documents)]
    calibrated = db.NaiveBayes().fit(codes, y).calibrate(codes, y, method="isotonic")
    columns = {"a": codes[:, 0].tolist(), "b": codes[:, 1].tolist(), "c": codes[:, 2].tolist()}
    net = db.BayesNet(db.DAG([("a", "b"), ("b", "c")])).fit(columns)
    gaussian = db.GaussianNet(db.DAG([("a", "b"), ("b", "c")])).fit({n: numbers[:, i] for i, n in enumerate("abc")})
    return [*fitted, ("calibrated", calibrated, codes), ("BayesNet", net, None), ("GaussianNet", gaussian, None)]
