"""The vocabulary: the tokens and their ids.

The bytes of all tokens are concatenated, and token t is bytes[offsets[t] : offsets[t + 1]]; a file stores both arrays.
Ids follow first occurrence, so a vocabulary grows at its end. The index for lookups is built when it is first needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from deciban.storable import ByFields, check_ends, require, storable
from deciban.text import kernels
from deciban.text.analyzer import TokenRules
from deciban.text.kernels import Spelling, TokenIndex
from deciban.types import AnyArray, Ints

__all__ = ["Vocabulary"]


def _check_vocabulary(vocabulary: Vocabulary) -> None:
    """Offsets must lie within the bytes, and the bytes must be UTF-8."""
    held = vocabulary.bytes
    require(isinstance(held, np.ndarray) and held.dtype == np.uint8 and held.ndim == 1, "a vocabulary has no bytes")
    check_ends(vocabulary.offsets, len(held), "a vocabulary's offsets")
    held.tobytes().decode("utf-8", "surrogatepass")
    starts = vocabulary.offsets[:-1][np.diff(vocabulary.offsets) > 0]
    require(bool(((held[starts] & 0xC0) != 0x80).all()), "a token begins within a character")


@storable(check=_check_vocabulary)
@dataclass(frozen=True, eq=False)
class Vocabulary(ByFields):
    """Tokens and their ids.

    >>> v = Vocabulary.of(["sun", "rain"])
    >>> v.union(Vocabulary.of(["rain", "hail"]))[0]
    Vocabulary of 3: sun, rain, hail
    """

    bytes: AnyArray
    offsets: Ints

    @classmethod
    def of(cls, tokens: Sequence[str]) -> Self:
        return cls(*kernels.spell(tokens))

    @classmethod
    def spelled(cls, spelling: Spelling, index: TokenIndex | None = None, rules: TokenRules | None = None) -> Self:
        """The vocabulary that counting has made, with its index where counting has built one."""
        vocabulary = cls(*spelling)
        if index is not None:
            vocabulary._indices[_has_sequences(rules)] = index
        return vocabulary

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.bytes, self.offsets)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """All tokens, by id."""
        return tuple(kernels.tokens_of(self.spelling))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[str]:
        return iter(self.tokens)

    def __getitem__(self, token: int) -> str:
        first, last = self.offsets[token : token + 2].tolist()
        return self.bytes[first:last].tobytes().decode("utf-8", "surrogatepass")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return np.array_equal(self.offsets, other.offsets) and np.array_equal(self.bytes, other.bytes)

    def __repr__(self) -> str:
        shown = [self[t] for t in range(min(len(self), 5))]
        return f"Vocabulary of {len(self)}: {', '.join(shown)}{', …' if len(self) > 5 else ''}"

    def index(self, rules: TokenRules | None) -> TokenIndex:
        """The index for the tokens of these rules."""
        index = self._indices.get(_has_sequences(rules))
        if index is None:
            index = self._indices[_has_sequences(rules)] = kernels.token_index(self.spelling, rules)
        return index

    @cached_property
    def _indices(self) -> dict[bool, TokenIndex]:
        return {}

    def union(self, other: Vocabulary) -> tuple[Vocabulary, Ints]:
        """These tokens, then the new ones of `other`; and the ids of other's tokens in the union."""
        if self == other:
            return self, np.arange(len(other))
        spelling, ids = kernels.union_vocabularies(self.spelling, other.spelling)
        return (self if spelling.size == len(self) else Vocabulary(*spelling)), ids

    def subset(self, kept: AnyArray) -> Vocabulary:
        """The tokens selected by a mask, in the same order."""
        lengths = np.diff(self.offsets)
        offsets = np.zeros(int(kept.sum()) + 1, dtype=np.int64)
        np.cumsum(lengths[kept], out=offsets[1:])
        first, last = int(self.offsets[0]), int(self.offsets[-1])
        return Vocabulary(self.bytes[first:last][np.repeat(kept, lengths)], offsets)


def _has_sequences(rules: TokenRules | None) -> bool:
    return rules is not None and rules.has_sequences
