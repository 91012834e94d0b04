"""Drop-in replacements for the classes of sklearn.naive_bayes."""
