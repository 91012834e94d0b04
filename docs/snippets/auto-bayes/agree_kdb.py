"""The class says whether two switches agree; neither of them says anything alone."""

import deciban as db

switches = {
    "left": ["on", "on", "off", "off"] * 25,
    "right": ["on", "off", "on", "off"] * 25,
}
light = ["lit", "dark", "dark", "lit"] * 25

for model in (db.NaiveBayes(), db.KDB()):
    posterior = model.fit(switches, light).predict_proba_one(
        {"left": "on", "right": "on"}
    )
    print(f"{type(model).__name__:<10} P(lit | on, on) = {posterior['lit']:.2f}")
print("parents:", model.parents_)
print(
    "weights:",
    {name: [round(w, 2) for w in weights] for name, weights in model.weights_.items()},
)
