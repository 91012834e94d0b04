"""A survey of 2,000 made-up people and their income; the last 600 are test rows."""

import pandas as pd

_table = pd.read_csv("people.csv", index_col="person")
_income = _table.pop("income")

people, income = _table[:1400], _income[:1400]
new_people, new_income = _table[1400:], _income[1400:]
