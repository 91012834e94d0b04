"""Text: documents → tokens → counts."""

from deciban.text.rules import TokenRules
from deciban.text.tokens import tokenize, unicode_version

__all__ = ["TokenRules", "tokenize", "unicode_version"]
