"""The commands for Bayes nets."""
