"""Documents with labels as JSON Lines, made with a fixed seed; the files stay in a temporary folder.

Words are made of syllables. Their frequencies follow Zipf's law with two exponents, as those of English do (Ferrer i
Cancho & Solé 2001): p ∝ 1/(rank + 2.7) for the 10,000 most frequent words, and rank^-1.9 from there on, up to 1,000,000
words. So 5.5 million words have about 145,000 different ones (20 Newsgroups has 174,000, IMDB 76,000), and 2 GB have
about 800,000. A document has 200 to 2,000 bytes, capitals, punctuation and escapes, and is one of ten classes, which
differ in some frequent words; a line also has a number and an object that are not wanted.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from benchmarks.engines.samples import folder

__all__ = ["documents_file"]

_WORDS, _FREQUENT, _CLASSES, _AT_A_TIME = 1_000_000, 10_000, 10, 20_000
_ONSETS = "b c d f g h j k l m n p r s t v w br cr dr fl gr pl pr st str th tr sh ch".split()  # noqa: SIM905
_VOWELS = "a e i o u ea ou ai ie".split()  # noqa: SIM905
_CODAS = ["", "", "", "n", "r", "s", "t", "l", "d", "m", "nd", "st", "ng", "ck"]
_FORMS = {"{}": 0.86, "^": 0.05, "{},": 0.045, "{}.": 0.035, '\\"{}\\"': 0.005, "{}\\n\\n": 0.005}
"""Forms of a word as JSON writes them, with their shares; ^ is the word with a capital."""


def documents_file(size: int) -> Path:
    """The file with about so many bytes, made where it does not exist."""
    path = folder() / f"documents-{size}.jsonl"
    if not path.exists():
        beside = path.with_name(f"unfinished-{path.name}")
        with beside.open("wb") as file:
            for lines in _lines():
                file.write(lines)
                if file.tell() >= size:
                    break
        beside.rename(path)
    return path


def _lines() -> Iterator[bytes]:
    rng = np.random.default_rng(0)
    forms, share = _forms(_words(rng)), np.cumsum(list(_FORMS.values()))
    frequency = _frequencies()
    own = [rng.permutation(2000) for _ in range(_CLASSES)]
    first = 0
    while True:
        lengths = np.clip(rng.lognormal(4.6, 0.55, _AT_A_TIME), 30, 300).astype(np.int64)
        labels, words = rng.integers(0, _CLASSES, _AT_A_TIME), int(lengths.sum())
        ranks = np.searchsorted(frequency, rng.random(words))
        is_own = (rng.random(words) < 0.1) & (ranks < 2000)
        for label in range(_CLASSES):
            here = is_own & (np.repeat(labels, lengths) == label)
            ranks[here] = own[label][ranks[here]]
        at = ranks * len(_FORMS) + np.searchsorted(share, rng.random(words) * share[-1])
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        texts = pc.binary_join(pa.ListArray.from_arrays(pa.array(ends), forms.take(pa.array(at))), " ")
        yield _joined(first, labels, texts)
        first += _AT_A_TIME


def _joined(first: int, labels: NDArray[Any], texts: Any) -> bytes:
    """The lines of some documents."""
    ids = pc.cast(pa.array(np.arange(first, first + len(labels))), pa.string())
    names = pa.array([f"class {label}" for label in labels.tolist()])
    start, middle = '{"id": ', ', "about": {"lang": "en", "tags": ["a", "b"]}, "label": "'
    lines = pc.binary_join_element_wise(start, ids, middle, names, '", "text": "', texts, '"}\n', "")
    size = int(np.frombuffer(lines.buffers()[1], dtype=np.int32)[len(lines)])
    return lines.buffers()[2].slice(0, size).to_pybytes()


def _frequencies() -> NDArray[np.float64]:
    """The share of all words up to each rank."""
    rank = np.arange(1.0, _WORDS + 1)
    p = 1 / (rank + 2.7)
    p[_FREQUENT:] = p[_FREQUENT - 1] * (rank[_FREQUENT:] / _FREQUENT) ** -1.9
    share = np.cumsum(p)
    return share / share[-1]


@cache
def _syllables() -> Any:
    return pa.array([onset + vowel + coda for onset in _ONSETS for vowel in _VOWELS for coda in _CODAS])


def _words(rng: np.random.Generator) -> Any:
    """Different words of one to four syllables, shorter ones more frequent."""
    many = int(1.6 * _WORDS)
    sizes = rng.choice([1, 2, 3, 4], many, p=[0.02, 0.33, 0.4, 0.25])
    drawn = rng.integers(0, len(_syllables()), (4, many))
    parts = [_syllables().take(pa.array(drawn[i], mask=sizes <= i)) for i in range(4)]
    words = pc.unique(pc.binary_join_element_wise(*parts, "", null_handling="skip"))[:_WORDS]
    lengths = pc.binary_length(words).to_numpy(zero_copy_only=False)
    return words.take(pa.array(np.argsort(lengths + 6 * rng.random(len(words)))))


def _forms(words: Any) -> Any:
    """All forms of the first word, then of the second, and so on."""
    columns = []
    for form in _FORMS:
        before, _, after = form.partition("{}")
        is_capital = form == "^"
        columns.append(pc.utf8_capitalize(words) if is_capital else _around(before, words, after))
    at = np.arange(len(words) * len(_FORMS)).reshape(len(_FORMS), -1).T.ravel()
    return pa.concat_arrays(columns).take(pa.array(at))


def _around(before: str, words: Any, after: str) -> Any:
    return pc.binary_join_element_wise(before, words, after, "")
