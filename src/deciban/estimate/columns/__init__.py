"""What a distribution of a column is: counting, estimating, scoring single values, missing values as evidence."""
