"""Accuracy and log loss of classifiers on twelve tables, beside scikit-learn's, on the same folds."""
