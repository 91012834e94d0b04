"""Ask what is believed of one disease, of two together, and of everything at once."""

from clinic import net

print(net.query("lung"))
print(net.query("lung", {"asia": "yes", "xray": "yes"}))
print()
print(net.query(["tub", "lung"], {"asia": "yes", "xray": "yes"}))
print()
print("P(asia=yes, xray=yes) =", round(net.probability({"asia": "yes", "xray": "yes"}), 6))
print(net.beliefs({"asia": "yes", "xray": "yes"}))
