"""A number as the target: the progression of diabetes (Efron and others, 2004)."""

from sklearn.datasets import load_diabetes

import deciban as db

data = load_diabetes(as_frame=True, scaled=False).frame
data = data.rename(columns={"s3": "hdl", "s5": "triglycerides", "s6": "glucose"})
data["sex"] = data["sex"].map({1: "one", 2: "two"})
measured = ["bmi", "bp", "hdl", "triglycerides", "glucose"]
data = data[["age", "sex", *measured, "target"]]
old, new = data[:300], data[300:]

known = db.Knowledge(tiers=[["age", "sex"], measured, ["target"]])
found = db.search(old, knowledge=known)
print(found.graph)
net = db.BayesNet(found.dag).fit(old)
print(net.table("target"))

answer = net.query("target", {"bmi": 32, "bp": 100})
low, high = answer.interval(0.9)
print(f"mean {answer.mean:.0f}, 90 % from {low:.0f} to {high:.0f}")
print(net.query("sex", {"hdl": 70}))

predicted = net.predict(new.drop(columns="target"), "target")
error = ((predicted - new["target"]) ** 2).mean() ** 0.5
spread = ((new["target"] - old["target"].mean()) ** 2).mean() ** 0.5
print(f"root mean square error {error:.1f}, of the mean of the old rows {spread:.1f}")
