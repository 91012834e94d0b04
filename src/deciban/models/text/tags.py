"""What estimators of documents say of themselves to scikit-learn: X is one column, of text."""

from __future__ import annotations

from typing import Any

__all__ = ["tag_documents"]


def tag_documents(tags: Any) -> Any:
    """The tags of an estimator, as those of one whose X is a column of documents."""
    tags.input_tags.sparse = False
    tags.input_tags.two_d_array = False
    tags.input_tags.one_d_array = True
    tags.input_tags.string = True
    return tags
