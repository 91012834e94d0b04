"""Trainers of linear text models, where they are installed: fastText and Vowpal Wabbit.

Both read their own files, which are written before the clock starts: one line for each document, with the words that
scikit-learn's tokenizer finds. All settings are their defaults, except that they take 1- and 2-grams, as deciban does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.text.corpora import Labelled
from deciban.text import TokenRules, tokenize

__all__ = ["Trainer", "linear_trainers"]

_THREADS = 2


class Trainer(NamedTuple):
    """A name, the training task (None: not installed), and the number of bits of its hashes, if it hashes tokens."""

    name: str
    train: Callable[[], object] | None
    bits: int | None


def linear_trainers(data: Labelled, folder: Path) -> Iterator[Trainer]:
    """Every trainer, ready to run."""
    words = [" ".join(tokens) for tokens in tokenize(data.X, TokenRules())]
    codes = np.unique(data.y, return_inverse=True)[1].tolist()
    for title, module, package, prepare, bits in (
        ("fastText", "fasttext", "fasttext-wheel", _fasttext, None),
        ("Vowpal Wabbit", "vowpalwabbit", "vowpalwabbit", _vowpal_wabbit, 18),
    ):
        if find_spec(module) is None:
            yield Trainer(title, None, bits)
        else:
            train = prepare(import_module(module), words, codes, folder)
            yield Trainer(f"{title} {_version(package, module)}", train, bits)


def _fasttext(module: Any, words: list[str], codes: list[int], folder: Path) -> Callable[[], object]:
    path = folder / "fasttext.txt"
    path.write_text("".join(f"__label__{code} {text}\n" for code, text in zip(codes, words, strict=True)))
    return lambda: module.train_supervised(input=str(path), wordNgrams=2, thread=_THREADS, verbose=0)


def _vowpal_wabbit(module: Any, words: list[str], codes: list[int], folder: Path) -> Callable[[], object]:
    """Two classes, −1 and 1; reading and learning have one thread each."""
    path = folder / "vowpal_wabbit.txt"
    path.write_text("".join(f"{2 * code - 1} | {text}\n" for code, text in zip(codes, words, strict=True)))

    def train() -> object:
        workspace = module.Workspace(f"--data {path} --ngram 2 --quiet")
        workspace.run_parser()
        workspace.finish()
        return workspace

    return train


def _version(package: str, module: str) -> str:
    for name in (package, module):
        try:
            return version(name)
        except ModuleNotFoundError:
            continue
    return ""
