"""A small model file, rows to learn, and exact counts to compare with."""

import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import deciban as db
from deciban.serve.learning.changes import Change
from deciban.serve.learning.journaled_model import Request

rng = np.random.default_rng(15)
ROWS = [
    {"sky": str(sky), "warm": int(warm), "wind": bool(wind)}
    for sky, warm, wind in zip(
        rng.choice(["sun", "rain", "fog"], 400), rng.integers(-5, 30, 400), rng.integers(0, 2, 400), strict=True
    )
]
LABELS = rng.choice(["play", "stay"], 400).tolist()
FIRST = 60
"""How many rows the model file has learned."""


def fitted(indices):
    """The model of some rows, in the distributions of the model file."""
    rows, labels = [ROWS[i] for i in indices], [LABELS[i] for i in indices]
    columns = {"sky": db.Categorical(), "warm": db.Gaussian(), "wind": db.Categorical()}
    return db.NaiveBayes(columns, weights=None, missing="skip").fit(rows, labels)


def request(action, start, stop, key=None, **options):
    """The request to learn or forget some of the rows."""
    return Request(Change.of(action, ROWS[start:stop], LABELS[start:stop]), key, **options)


@contextmanager
def in_memory():
    """A folder in memory where the system has one: a killed process does not need a disk, and flushing takes long."""
    memory = Path("/dev/shm")  # noqa: S108
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


@pytest.fixture(scope="package")
def first_model():
    return fitted(range(FIRST))


@pytest.fixture
def path(first_model, tmp_path):
    """The model file."""
    db.save(first_model, tmp_path / "days.deciban")
    return tmp_path / "days.deciban"
