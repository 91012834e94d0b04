"""How far an answer is known: the same question to nets of 50 bootstrap samples."""

import numpy as np
from survey_net import found
from survey_table import people

import deciban as db

rng = np.random.default_rng(0)
answers = []
for _ in range(50):
    rows = people.iloc[rng.integers(0, len(people), len(people))]
    net = db.BayesNet(found.dag).fit(rows, missing="em")
    answers.append(net.query("income", {"education": "degree", "age": 40})["high"])

low, high = np.quantile(answers, [0.025, 0.975])
print(f"P(high | degree, 40) from {low:.2f} to {high:.2f}")
