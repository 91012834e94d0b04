"""What a file of a tally holds: the tally itself, or the graph and the statistics of its families."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deciban.nets.learning.families import FamilyTally
from deciban.nets.learning.moments import GaussianTally
from deciban.nets.learning.stored import net_tally_state, restored_net_tally
from deciban.tallies import Tally

__all__ = ["TALLIES", "restored_tally", "tally_state"]

TALLIES: tuple[type[Any], ...] = (Tally, FamilyTally, GaussianTally)


def tally_state(tally: Tally | FamilyTally | GaussianTally) -> dict[str, Any]:
    """The state of a tally, by name."""
    return {"tally": tally} if isinstance(tally, Tally) else net_tally_state(tally)


def restored_tally(kind: type[Any], state: Mapping[str, Any]) -> Tally | FamilyTally | GaussianTally:
    """The tally with this state; a ValueError where the state is inconsistent."""
    return state["tally"] if kind is Tally else restored_net_tally(kind, state)
