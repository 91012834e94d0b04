"""Text: documents → tokens → counts."""

from deciban.text.rules import TokenRules

__all__ = ["TokenRules"]
