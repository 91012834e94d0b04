"""Questions to a Gaussian net are about numbers."""

import deciban as db

net = db.GaussianNet([("height", "weight")])
net.fit({"height": [150, 160, 170, 180], "weight": [52, 58, 72, 78]})
print(net.ask("P(weight | height=175)"))
print(round(net.ask("P(weight > 75 | height=175)"), 3))
print(
    round(net.ask("E(height | weight=70)"), 1),
    round(net.ask("E(height | do(weight=70))"), 1),
)
