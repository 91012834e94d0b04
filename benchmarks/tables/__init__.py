"""`NaiveBayes` on real tables of mixed columns: whole tables, single rows, and a large Arrow table."""
