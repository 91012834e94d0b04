"""The votes of 435 members of the U.S. House on sixteen bills in 1984, and the party of each member."""

import pandas as pd

votes = pd.read_csv("../shared/data/tables/votes.csv.gz", na_values=["?"])
party = votes.pop("party")
