"""A net of categories and numbers: subsidy, crop, price, and whether it is bought."""

import deciban as db
from deciban.nets import Between, MixedNetwork, Regressions

net = db.BayesNet.of(
    MixedNetwork(
        db.DAG([("subsidy", "price"), ("crop", "price"), ("price", "buy")]),
        {"subsidy": ("no", "yes"), "buy": ("no", "yes")},
        {
            "subsidy": [0.7, 0.3],
            # given the price: up to 5, above
            "buy": [[0.2, 0.8], [0.9, 0.1]],
        },
        {
            "crop": Regressions((), (), 5.0, [], 1.0),
            # without and with a subsidy: intercepts, slopes of the crop, variances
            "price": Regressions(
                ("subsidy",), ("crop",), [10.0, 6.0], [[-1.0], [-0.5]], [1.0, 0.25]
            ),
        },
        cuts={"buy": {"price": [5.0]}},
    )
)

price = net.query("price", {"crop": 4.0})
print(price)
print("90 % of prices are between", *(round(end, 2) for end in price.interval(0.9)))
print("P(price > 6) =", round(price.sf(6), 4))

print(net.query("subsidy", {"price": 4.0}))
print(
    "P(buy = yes | crop > 6) =",
    round(net.query("buy", {"crop": Between(6, None)})["yes"], 4),
)
print("the same:", round(net.ask("P(buy=yes | crop > 6)"), 4))

both = net.query(["subsidy", "crop"], {"buy": "yes"})
print(both, "with", {states: round(p, 4) for states, p in both.probabilities.items()})
print(
    "log density of crop = 4, price = 7:",
    round(net.log_probability({"crop": 4, "price": 7}), 4),
)
