"""How far an answer is known from few rows, and from four hundred."""

from garden import days, graph

import deciban as db

net = db.BayesNet(graph).fit(days)
answer = net.query("rain", {"wet": "yes"}, interval=0.95)
print(answer)
print({node: round(share, 2) for node, share in answer.shares("yes").items()})

many = {name: column * 40 for name, column in days.items()}
print(net.fit(many).query("rain", {"wet": "yes"}, interval=0.95))
