"""Gaussian nets on bnlearn's gaussian.test against plain least squares and the joint normal formula."""

import numpy as np
import pandas as pd
import pytest

import deciban as db
from tests.parity.test_bnlearn import GAUSSIAN


@pytest.fixture
def frame(shared_data):
    return pd.read_csv(shared_data / "nets" / "gaussian.test.sample.csv.gz")


def test_coefficients_are_those_of_least_squares(frame):
    net = db.GaussianNet(GAUSSIAN).fit(frame)
    for node in GAUSSIAN.nodes:
        own = net.parameters[node]
        design = np.column_stack([np.ones(len(frame)), *(frame[parent] for parent in own.coefficients)])
        slopes, left, *_ = np.linalg.lstsq(design, frame[node].to_numpy())
        np.testing.assert_allclose([own.intercept, *own.coefficients.values()], slopes, rtol=1e-10, atol=1e-10)
        assert own.variance == pytest.approx(left[0] / len(frame), rel=1e-10)


def test_likelihood_and_score_agree(frame):
    net = db.GaussianNet(GAUSSIAN).fit(frame)
    free = 2 * len(GAUSSIAN.nodes) + len(GAUSSIAN.directed_edges)
    assert net.log_likelihood(frame) - 0.5 * np.log(len(frame)) * free == pytest.approx(-53221.35, abs=0.005)


def test_answers_are_those_of_the_joint_normal(frame):
    net = db.GaussianNet(GAUSSIAN).fit(frame)
    place = {node: i for i, node in enumerate(net.nodes)}
    slopes = np.zeros((len(place),) * 2)
    for node, own in net.coefficients.items():
        for parent, slope in own.items():
            slopes[place[node], place[parent]] = slope
    spread = np.linalg.inv(np.eye(len(place)) - slopes)
    noise = np.diag([net.parameters[node].variance for node in net.nodes])
    covariance = spread @ noise @ spread.T
    mean = spread @ [net.parameters[node].intercept for node in net.nodes]
    seen, t = [place["F"], place["G"]], place["A"]
    gain = covariance[t, seen] @ np.linalg.inv(covariance[np.ix_(seen, seen)])
    found = net.query("A", {"F": 30.0, "G": 5.0})
    assert found.mean == pytest.approx(mean[t] + gain @ (np.array([30.0, 5.0]) - mean[seen]), rel=1e-10)
    assert found.variance == pytest.approx(covariance[t, t] - gain @ covariance[seen, t], rel=1e-10)
