"""Decisions from posteriors: rules, losses, rejection, scores and calibration."""

from deciban.decide.calibration import Calibration, Isotonic, Temperature, fit_calibration
from deciban.decide.posterior import finish, is_impossible, log_posterior
from deciban.decide.report import Report, Scores, evaluate
from deciban.decide.rules import (
    NO_DECISION,
    Reject,
    check_loss,
    expected_loss,
    least_loss,
    most_probable,
    zero_one_loss,
)
from deciban.decide.score import Reliability, reliability

__all__ = [
    "NO_DECISION",
    "Calibration",
    "Isotonic",
    "Reject",
    "Reliability",
    "Report",
    "Scores",
    "Temperature",
    "check_loss",
    "evaluate",
    "expected_loss",
    "finish",
    "fit_calibration",
    "is_impossible",
    "least_loss",
    "log_posterior",
    "most_probable",
    "reliability",
    "zero_one_loss",
]
