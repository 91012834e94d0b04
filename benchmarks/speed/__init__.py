"""The five drop-in classifiers beside scikit-learn's: time against the same class, and peak memory."""
