"""The votes of the 400 members of a made-up parliament on thirteen bills, and the party of each member."""

import pandas as pd

ballots = pd.read_csv("ballots.csv")
party = ballots.pop("party")
