"""Files of Bayes nets."""
