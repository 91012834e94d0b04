"""The Adult table of the 1994 census: fourteen columns about a person, and whether the income is above $50,000."""

import pandas as pd

_table = pd.read_csv("../shared/data/tables/adult.csv.gz")
_is_train = _table.pop("split") == "train"
_income = _table.pop("income")

people, income = _table[_is_train], _income[_is_train]
new_people, new_income = _table[~_is_train], _income[~_is_train]
