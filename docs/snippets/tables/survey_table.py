"""The survey of 2,000 made-up people: categories, numbers and missing values."""

import pandas as pd

people = pd.read_csv("people.csv", index_col="person", na_values=["?"])
people = people.drop(columns=["years_of_education", "household_size"])
people["dividends"] = (people["dividends"] > 0).map({True: "yes", False: "no"})
people["occupation"] = people["occupation"].fillna("not stated")
