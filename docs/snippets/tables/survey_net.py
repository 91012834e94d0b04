"""A net of the survey: its graph by search, its tables and regressions by EM."""

from survey_table import people

import deciban as db

order = [
    ["age", "region"],
    ["education"],
    ["occupation", "household"],
    ["hours"],
    ["income"],
    ["owns_home", "commute", "dividends"],
]
found = db.search(people, missing="skip", knowledge=db.Knowledge(tiers=order))
net = db.BayesNet(found.dag).fit(people, missing="em")
