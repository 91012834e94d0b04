"""Rows that cannot be read are named, and can be left out."""

import warnings

from scale_data import folder

import deciban as db

with (folder / "visits-5.csv").open("a") as file:
    file.write("31,phone\nforty,desktop,12.5,no\n")

try:
    db.tally(folder, target="buys")
except db.errors.SourceError as error:
    print(str(error).replace(str(folder), "…"))

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    counted = db.tally(
        folder, target="buys", schema={"age": "int64"}, on_bad_row="skip"
    )
print(counted.total, "rows;", str(caught[0].message).replace(str(folder), "…"))
