"""Deciding, which is not believing: posteriors, decision rules, losses and "no decision"."""

from deciban.decide.posterior import finish, is_impossible, log_posterior
from deciban.decide.rules import (
    NO_DECISION,
    Reject,
    check_loss,
    expected_loss,
    least_loss,
    most_probable,
    zero_one_loss,
)

__all__ = [
    "NO_DECISION",
    "Reject",
    "check_loss",
    "expected_loss",
    "finish",
    "is_impossible",
    "least_loss",
    "log_posterior",
    "most_probable",
    "zero_one_loss",
]
