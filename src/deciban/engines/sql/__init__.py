"""Tables in databases: queries that count where the rows are, and bring back counts and moments only."""
