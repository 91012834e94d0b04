"""Decisions from posteriors: rules, losses, rejection, scores and calibration."""

from deciban.decide.calibration import Calibration, Isotonic, Temperature, fit_calibration
from deciban.decide.evaluation import Baseline, MeanCost, Report, Scores, evaluate, mean_cost
from deciban.decide.rules import (
    NO_DECISION,
    Reject,
    check_loss,
    expected_loss,
    finish,
    is_impossible,
    least_loss,
    most_probable,
    zero_one_loss,
)
from deciban.decide.score import (
    Interval,
    ProbabilityScores,
    RankingCurves,
    Reliability,
    mean_interval,
    probability_scores,
    ranking_curves,
    reliability,
    wilson,
)

__all__ = [
    "NO_DECISION",
    "Baseline",
    "Calibration",
    "Interval",
    "Isotonic",
    "MeanCost",
    "ProbabilityScores",
    "RankingCurves",
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
    "mean_cost",
    "mean_interval",
    "most_probable",
    "probability_scores",
    "ranking_curves",
    "reliability",
    "wilson",
    "zero_one_loss",
]
