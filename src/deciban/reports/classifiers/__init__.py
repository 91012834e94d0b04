"""The report on a classifier, section by section."""
