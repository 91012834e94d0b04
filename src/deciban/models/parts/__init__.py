"""What a classifier can also do, as parts that it holds: decide, weigh columns, learn row by row, leave one out."""
