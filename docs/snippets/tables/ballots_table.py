"""The votes of the 400 members of a made-up parliament on thirteen bills."""

import pandas as pd

ballots = pd.read_csv("ballots.csv")
party = ballots.pop("party")
