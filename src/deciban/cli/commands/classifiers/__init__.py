"""The commands for classifiers."""
