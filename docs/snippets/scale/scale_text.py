"""Learn messages from a file, and limit the number of tokens in memory."""

import pandas as pd

import deciban as db

model = db.TextNB().fit_files("messages.csv", text="text", target="label")
print(model.predict(["WINNER! Claim your prize, call 09061701461 now"]))

table = pd.read_csv("messages.csv")
whole = db.TextNB().fit(table["text"], table["label"])
print("file = fit:", model.tally_.parts == whole.tally_.parts)

small = db.TextNB(max_terms=500).fit_files("messages.csv", text="text", target="label")
bag = small.tally_.parts[0]
print(bag, f"- a count is too small by at most {bag.error:g}")
