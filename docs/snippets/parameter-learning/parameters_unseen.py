"""Configurations of the parents that do not occur in the data."""

from garden import days, graph

import deciban as db
from deciban.errors import InputError

net = db.BayesNet(graph).fit(days)
try:
    net.smoothed(db.MLE())
except InputError as error:
    print(error)
print(net.unseen_parents_["wet"][0])
print(net.smoothed(db.MLE(), unseen_parents="marginal").tables["wet"][1, 1].tolist())
print(net.smoothed(db.BDeu(4)).tables["wet"].round(3).tolist())
