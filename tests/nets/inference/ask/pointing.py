"""A question that a net refuses."""

from __future__ import annotations

from typing import Any

import pytest

from deciban.errors import QuestionError


def check_refused(net: Any, text: str, position: int, reason: str) -> None:
    """The error points at this character, for this reason."""
    with pytest.raises(QuestionError) as raised:
        net.ask(text)
    assert raised.value.position == position
    assert reason in raised.value.reason
