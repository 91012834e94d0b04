"""Observe a finding and set a cause in the widget of a net."""

from clinic import net

widget = net.widget({"xray": "yes"}, interventions={"smoke": "no"})
print(widget.beliefs["lung"])

# The picture changes as if it had been clicked.
widget.evidence = {"xray": "yes", "asia": "yes"}
print(widget.beliefs["lung"])
