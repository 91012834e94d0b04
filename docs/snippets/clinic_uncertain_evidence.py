"""Something was heard, but is not sure; and something cannot be."""

from clinic import net

from deciban.errors import ImpossibleEvidenceError

heard = {"smoke": {"yes": 0.9, "no": 0.2}}  # of smokers nine in ten would say so, of others two in ten
print("before", round(net.query("lung")["yes"], 4), "after", round(net.query("lung", likelihoods=heard)["yes"], 4))

try:
    net.query("lung", {"smoke": "yes", "tub": "yes", "xray": "no", "either": "no"})
except ImpossibleEvidenceError as error:
    print(error)
