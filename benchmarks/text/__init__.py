"""Models of raw documents: speed and memory against scikit-learn's vectorizers, and accuracy on known corpora."""
