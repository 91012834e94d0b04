"""Observe a finding and set a cause in the widget of a net."""

from clinic import net

widget = net.widget({"xray": "yes"}, interventions={"smoke": "no"})
print(widget.beliefs["lung"])

widget.evidence = {
    "xray": "yes",
    "asia": "yes",
}  # the picture changes as if it had been clicked
print(widget.beliefs["lung"])
