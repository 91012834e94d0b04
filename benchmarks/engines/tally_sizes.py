"""Bytes of tallies, and the time to add two of them: python -m benchmarks.engines.tally_sizes.

A tally of a shard does not grow with the rows of the shard, only with the states, tokens and classes that occur in it.
The tallies here are full: every cell, every token and every bucket occurs.
"""

from __future__ import annotations

import pickle
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import deciban as db
from deciban.read import Variable
from deciban.tallies import Counts, Tally
from deciban.text import Bag, TokenRules, Vocabulary

__all__ = ["main"]

_ROWS = 200_000
_ROUNDS = 3


def main() -> None:
    """Print a table with a row for each kind of tally."""
    print("| tally | in memory | pickled | `db.save` | `a + b`, CPU time |\n|---|---|---|---|---|")
    for name, make in _tallies():
        a, b = make(0), make(1)
        pickled = len(pickle.dumps(a, protocol=5))
        seconds = _seconds_to_add(a, b)
        saved = _saved_bytes(a)
        print(
            f"| {name} | {_in_units(_bytes(a))} | {_in_units(pickled)} | {_in_units(saved)} | {1e3 * seconds:.3g} ms |"
        )


def _tallies() -> Iterator[tuple[str, Callable[[int], Tally]]]:
    yield "100 columns × 50 labels × 10 classes", _labels
    yield "100 columns of numbers × 10 classes: moments", _moments
    yield "one column of numbers × 10 classes: a `Sketch` of lognormal values, for bins and densities", _sketch
    yield "40 columns × 8 labels × 2 classes: all pairs, for `AODE` and `TAN`", _pairs
    yield "text: 2²⁰ tokens × 20 classes, every token in 3 of them", lambda seed: _text(seed, 3)
    yield (
        "text hashed to 2²⁰ buckets × 20 classes, every bucket in every class",
        lambda seed: _text(seed, 20, hashed=True),
    )


def _labels(seed: int) -> Tally:
    rng = np.random.default_rng(seed)
    parts = [
        Counts(Variable.of(f"column {i}", [f"label {k}" for k in range(50)]), _filled(rng, 10, 50)) for i in range(100)
    ]
    return Tally(_classes(10), np.full(10, 1000), tuple(parts))


def _moments(seed: int) -> Tally:
    rng = np.random.default_rng(seed)
    table = {f"column {i}": rng.normal(size=2000) for i in range(100)}
    return db.tally(table | {"class": np.arange(2000) % 10}, target="class")


def _sketch(seed: int) -> Tally:
    rng = np.random.default_rng(seed)
    values = {"value": rng.lognormal(3.0, 2.0, _ROWS)}
    return db.NaiveBayes(db.Kernel(), weights=None).fit(values, np.arange(_ROWS) % 10).tally_


def _pairs(seed: int) -> Tally:
    rng = np.random.default_rng(seed)
    table = {f"column {i}": rng.choice([f"label {k}" for k in range(8)], 4000) for i in range(40)}
    return db.AODE(columns=db.Categorical()).fit(table, np.arange(4000) % 2).tally_


def _text(seed: int, per_token: int, *, hashed: bool = False) -> Tally:
    """A tally of 2²⁰ tokens, each of which occurs in `per_token` of 20 classes."""
    rng, tokens, classes = np.random.default_rng(seed), 1 << 20, 20
    first = rng.integers(0, classes, tokens)[:, None]
    rows = ((first + np.arange(per_token)) % classes).ravel()
    order = np.argsort(rows, kind="stable")
    indices = np.repeat(np.arange(tokens, dtype=np.int32), per_token)[order]
    counts = _filled(rng, 1, len(indices))[0]
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=classes))])
    vocabulary = None if hashed else Vocabulary.of([f"token{i:x}" for i in rng.permutation(tokens).tolist()])
    bag = Bag("text", TokenRules(), vocabulary, tokens, starts, indices, counts, counts.copy())
    return Tally(_classes(classes), np.full(classes, 1000), (bag,))


def _classes(number: int) -> Variable:
    return Variable.of("class", np.arange(number))


def _filled(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    return rng.integers(1, 1 << 40, (rows, columns))


def _bytes(value: Any) -> int:
    """The bytes of the arrays and texts of a tally."""
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return int(value.nbytes)
    if isinstance(value, np.ndarray | tuple):
        return sum(map(_bytes, value))
    return sum(_bytes(getattr(value, field.name)) for field in fields(value)) if is_dataclass(value) else 0


def _seconds_to_add(a: Tally, b: Tally) -> float:
    """The median CPU time of ``a + b``, which does not depend on what else the machine does."""
    times = []
    for _ in range(_ROUNDS):
        begin = time.process_time()
        a + b
        times.append(time.process_time() - begin)
    return statistics.median(times)


def _saved_bytes(tally: Tally) -> int:
    with TemporaryDirectory() as folder:
        path = f"{folder}/tally.db"
        db.save(tally, path)
        with open(path, "rb") as file:
            return file.seek(0, 2)


def _in_units(number: int) -> str:
    return f"{number / 1e6:.3g} MB" if number >= 1e6 else f"{number / 1e3:.3g} kB"


if __name__ == "__main__":
    main()
