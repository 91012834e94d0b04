"""Random documents through the scanner, against its twin: ``make sanitize``, or ``pytest tests/fuzz_tokens.py``.

Pieces are chosen so that tokens, malformed sequences and expanding characters fall on the ends of blocks and buffers.
"""

import os
import random
import time

from deciban.text import TokenRules, reference, tokenize

SECONDS = float(os.environ.get("DECIBAN_FUZZ_SECONDS", "20"))
PIECES = [*"aZ _'.\t\n\0", "Σ", "σ", "é", "İ", "ﷺ", "한", "😀", "\u0301", "\u3000", "x" * 15, "x" * 17, "x" * 64, "  "]
BYTES = [b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xf4\x90\x80\x80", b"\xc0\x80"]


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
    common = {"lower": source.random() < 0.7, "accents": source.choice([None, "unicode", "ascii"])}
    pattern = source.choice(["words", "words+punct", "chars", "chars_wb", "segments"])
    if pattern in {"chars", "chars_wb"}:
        return TokenRules(pattern=pattern, chars=sizes, **common)
    return TokenRules(pattern=pattern, shortest=source.randrange(1, 4), longest=20, ngrams=sizes, **common)


def test_random_documents_are_read_as_by_the_twin():
    source = random.Random(6)  # noqa: S311
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        rules = random_rules(source)
        documents = [document(source) for _ in range(20)]
        found = tokenize(documents, rules)
        if rules.pattern != "segments":
            assert found == [reference.tokenize(d, rules) for d in documents], (rules, documents)
