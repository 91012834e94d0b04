"""Seeing a value, and setting it."""

from survey_net import net, order
from survey_table import people

import deciban as db

jobless = {"occupation": "none"}
print(f"P(home | no work)         {net.query('owns_home', jobless)['yes']:.3f}")
print(f"P(home | do(no work))     {net.do(jobless).query('owns_home')['yes']:.3f}")
print(f"P(high | hours = 50)      {net.query('income', {'hours': 50})['high']:.3f}")
print(f"P(high | do(hours = 50))  {net.do({'hours': 50}).query('income')['high']:.3f}")

known = db.Knowledge(tiers=order, required=[("hours", "income")])
with_arrow = db.BayesNet(db.search(people, missing="skip", knowledge=known).dag)
with_arrow.fit(people, missing="em")
answer = with_arrow.do({"hours": 50}).query("income")
print(f"with hours → income       {answer['high']:.3f}")
