"""A DuckDB database with 100,000 orders of a shop, and whether each was returned."""

import duckdb

connection = duckdb.connect()
connection.execute("""
    CREATE TABLE orders AS
    SELECT
        ['shoes', 'books', 'lamps'][1 + i % 3] AS kind,
        CASE WHEN i % 11 < 9 THEN ['card', 'invoice'][1 + (i // 3) % 2] END AS payment,
        1 + i % 7 AS weekday,
        20 + 30 * (i % 3 = 0)::INT + (i * 7919 % 1000) / 100 AS price,
        CASE WHEN (i * 31 % 100) < 10 + 25 * (i % 3 = 0)::INT + 15 * ((i // 3) % 2)
            THEN 'yes' ELSE 'no' END AS returned
    FROM range(100000) AS r (i)
""")
