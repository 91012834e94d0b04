"""Small columns and direct formulas that the tests of distributions share."""

import numpy as np

from deciban.tallies import Sketch

Y = np.array([0, 0, 0, 1, 1, 1, 1])
COUNTS = np.array([0, 2, 1, 5, 7, 4, 6])
SIZES = np.array([0.5, 1.5, 0.7, 4.0, 9.0, 2.5, 6.0])


def log_likelihood(model, table):
    """What a single column says: values × classes."""
    return model.evidence(table).columns[:, 0]


def drawn_means(values):
    """Each class's mean, drawn to the column's mean as by one more row."""
    return [(values[j == Y].sum() + values.mean()) / ((j == Y).sum() + 1) for j in (0, 1)]


def by_hand(X, y, tie, strength):
    """Means and variances for the four cases of item 11, written out class by class and column by column."""
    classes = np.unique(y)
    mean = np.array([X[y == j].mean(axis=0) for j in classes])
    squares = np.array([((X[y == j] - mean[k]) ** 2).sum(axis=0) for k, j in enumerate(classes)])
    rows = np.array([[(y == j).sum()] for j in classes])
    within = squares.sum(axis=0) / len(X)
    variance = {
        "none": (squares + strength * within) / (rows + strength),
        "class": within + 0 * squares,
        "feature": squares.sum(axis=1, keepdims=True) / (rows * X.shape[1]) + 0 * squares,
        "both": squares.sum() / X.size + 0 * squares,
    }[tie]
    return mean, variance


def counts_of(values, classes, number):
    labels, places = np.unique(np.asarray(values, dtype=float), return_inverse=True)
    table = np.zeros((number, len(labels)), dtype=np.int64)
    np.add.at(table, (classes, places), 1)
    return Sketch("x", labels, table)


def direct(values, points, weights, h):
    u = (values[:, None] - points) / h
    terms = np.log(weights / weights.sum()) - u**2 / 2
    top = terms.max(axis=1)
    return top + np.log(np.exp(terms - top[:, None]).sum(axis=1)) - np.log(h * np.sqrt(2 * np.pi))
