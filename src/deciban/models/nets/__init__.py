"""Classifiers that count wider tables: TAN, AODE, BayesNetClassifier."""
