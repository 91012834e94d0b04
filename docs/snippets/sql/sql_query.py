"""A query instead of a table, and an error that names the closest column."""

import sqlite3

import deciban as db

shop = sqlite3.connect(":memory:")
shop.execute("CREATE TABLE visits (page TEXT, seconds REAL, bought INTEGER)")
shop.executemany(
    "INSERT INTO visits VALUES (?, ?, ?)",
    [("home", 3.5, 0), ("cart", 41.0, 1), ("cart", None, 0)],
)

query = (
    "SELECT page, seconds, bought FROM visits WHERE seconds IS NULL OR seconds < 600"
)
print(db.tally(shop, query, target="bought"))

try:
    db.tally(shop, "visits", target="bougth")
except ValueError as error:
    print(error)
