"""Classifiers that count wider tables: TAN, AODE, BayesNetClassifier."""

from __future__ import annotations
