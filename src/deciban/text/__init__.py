"""Text: documents → tokens → counts."""

from deciban.text.analyzer import Analyzer
from deciban.text.bag import Bag
from deciban.text.pruning import Pruning
from deciban.text.rules import TokenRules
from deciban.text.tokens import tokenize, unicode_version
from deciban.text.vectorizers import CountVectorizer, HashingVectorizer
from deciban.text.vocabulary import Vocabulary

__all__ = [
    "Analyzer",
    "Bag",
    "CountVectorizer",
    "HashingVectorizer",
    "Pruning",
    "TokenRules",
    "Vocabulary",
    "tokenize",
    "unicode_version",
]
