"""Random documents through the tokenizer, the vectorizers and the text models.

The scanner's tokens are those of its twin, the vectorizers' matrices those of scikit-learn, and a model answers any
document, or refuses it with an error of deciban's. Pieces are chosen so that tokens, malformed sequences and expanding
characters fall on the ends of blocks and buffers.
"""

import random
import time
from typing import Any

import numpy as np
import sklearn.feature_extraction.text as sk

import deciban as db
from deciban.errors import DecibanError
from deciban.text import TokenRules, tokenize
from tests.fuzz import LEAST_CASES
from tests.reference import tokens as reference

PIECES = [
    *"aZ _'.\t\n\0",
    "Σ",
    "σ",
    "é",
    "İ",
    "ﷺ",
    "한",
    "😀",
    "🏽",
    "🇩",
    "\u200d",
    "\ufe0f",
    "\u0301",
    "\u3000",
    "x" * 15,
    "x" * 17,
    "x" * 64,
    "  ",
]
BYTES = [b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xf4\x90\x80\x80", b"\xc0\x80"]
OTHERS = [None, float("nan"), 3, [], {}, ["a"], object()]


def run(seconds: float, seed: int) -> int:
    """Try documents until time is up and the least number of cases has been tried."""
    draw = random.Random(seed)  # noqa: S311
    end, cases = time.monotonic() + seconds, 0
    while time.monotonic() < end or cases < LEAST_CASES:
        for check in (_check_tokens, _check_vectorizer, _check_model):
            check(draw, f"seed {seed}, case {cases}")
            cases += 1
    return cases


def _check_tokens(draw: random.Random, which: str) -> None:
    rules = random_rules(draw)
    documents = [document(draw) for _ in range(20)]
    found = tokenize(documents, rules)
    if rules.analyzer != "unicode_word":
        assert found == [reference.tokenize(d, rules) for d in documents], (which, rules, documents)


def _check_vectorizer(draw: random.Random, which: str) -> None:
    settings = _settings(draw) | {"decode_error": "replace"}
    documents = [document(draw) for _ in range(draw.choice([0, 1, 5]))]
    theirs, ours = sk.CountVectorizer(**settings), db.CountVectorizer(**settings)
    try:
        expected: Any = theirs.fit_transform(documents)
    except ValueError:
        expected = None
    try:
        found = ours.fit_transform(documents)
    except DecibanError:
        found = None
    assert (found is None) == (expected is None), (which, settings, documents)
    if found is not None:
        assert ours.vocabulary_ == theirs.vocabulary_, (which, settings, documents)
        assert (found != expected).nnz == 0, (which, settings, documents)
    _check_hashes(settings, documents, which)


def _check_hashes(settings: dict[str, Any], documents: list[str | bytes], which: str) -> None:
    hashed = {name: value for name, value in settings.items() if name not in ("min_df", "max_features")}
    found = db.HashingVectorizer(n_features=64, **hashed).transform(documents)
    if documents and not any("\ud800" in reference.decode(d) for d in documents):  # scikit-learn hashes no surrogates
        expected = sk.HashingVectorizer(n_features=64, **hashed).transform(documents)
        assert abs(found - expected).max() < 1e-9, (which, hashed, documents)


def _check_model(draw: random.Random, which: str) -> None:
    documents: list[Any] = [document(draw) for _ in range(draw.choice([1, 3, 9]))]
    if draw.random() < 0.2:
        documents[draw.randrange(len(documents))] = draw.choice(OTHERS)
    labels = [draw.choice("abc") for _ in documents]
    event = draw.choice(["boolean", "multinomial", "bernoulli", "complement", "twcnb"])
    cut: dict[str, Any] = draw.choice(
        [{}, {"n_bits": 3}, {"ngram_range": (1, 2)}, {"analyzer": "unicode_word"}, {"tokenizer": str.split}]
    )
    model = db.TextNB(event, drop_top=draw.choice([0, 0, 2]), **cut)
    new = [document(draw) for _ in range(3)]
    try:
        model.fit(documents, labels)
        posterior = model.predict_proba(new)
        assert np.allclose(posterior.sum(axis=1), 1.0), (which, model, documents, new)
        model.explain(new[0])._repr_html_().encode()
        if event != "twcnb":
            model.learn_one(new[1], "a").predict_one(new[2])
    except DecibanError:
        pass
    except Exception as error:
        raise AssertionError(
            f"{which}: {model}, {documents!r}, {labels}, {new!r}: {type(error).__name__}: {error}"
        ) from error


def document(source: random.Random) -> str | bytes:
    pieces = source.choices(PIECES, k=source.choice([0, 1, 5, 40, 200]))
    if source.random() < 0.5:
        return "".join(pieces + ["\ud800"] * source.randrange(2))
    whole = [piece.encode() for piece in pieces] + source.choices(BYTES, k=source.randrange(9))
    source.shuffle(whole)
    return b"".join(whole)[: source.randrange(2000)]


def random_rules(source: random.Random) -> TokenRules:
    first = source.randrange(1, 5)
    sizes = (first, first + source.randrange(3))
    common = {"lowercase": source.random() < 0.7, "strip_accents": source.choice([None, "unicode", "ascii"])}
    analyzer = source.choice(["word", "word_emoji", "word_punct", "char", "char_wb", "unicode_word"])
    if analyzer in {"char", "char_wb"}:
        return TokenRules(analyzer=analyzer, ngram_range=sizes, **common)
    return TokenRules(analyzer=analyzer, shortest=source.randrange(1, 4), longest=20, ngram_range=sizes, **common)


def _settings(draw: random.Random) -> dict[str, Any]:
    first = draw.randrange(1, 4)
    kind: dict[str, Any] = draw.choice([
        {}, {}, {"analyzer": "char"}, {"analyzer": "char_wb"}, {"token_pattern": r"(?u)\b\w+\b"},
        {"token_pattern": r"\S\S"}, {"stop_words": ["xx", "aa", "é"]}, {"preprocessor": str.swapcase},
    ])  # fmt: skip
    return {
        **kind,
        "lowercase": draw.random() < 0.7,
        "strip_accents": draw.choice([None, "unicode", "ascii"]),
        "ngram_range": (first, first + draw.randrange(2)) if draw.random() < 0.5 else (1, 1),
        "min_df": draw.choice([1, 1, 2]),
        "max_features": draw.choice([None, None, 3]),
    }
