"""Uncertain evidence, and impossible evidence."""

from clinic import net

from deciban.errors import ImpossibleEvidenceError

# The patient says "I smoke": nine in ten smokers would, and two in ten non-smokers.
answer = {"smoke": {"yes": 0.9, "no": 0.2}}
print(
    "before",
    round(net.query("lung")["yes"], 4),
    "after",
    round(net.query("lung", likelihoods=answer)["yes"], 4),
)

try:
    net.query("lung", {"smoke": "yes", "tub": "yes", "xray": "no", "either": "no"})
except ImpossibleEvidenceError as error:
    print(error)
