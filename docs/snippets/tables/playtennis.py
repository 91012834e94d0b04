"""Fourteen days of weather and whether tennis was played (Mitchell, table 3.2)."""

_ROWS = """
sunny    hot  high   weak   no
sunny    hot  high   strong no
overcast hot  high   weak   yes
rain     mild high   weak   yes
rain     cool normal weak   yes
rain     cool normal strong no
overcast cool normal strong yes
sunny    mild high   weak   no
sunny    cool normal weak   yes
rain     mild normal weak   yes
sunny    mild normal strong yes
overcast mild high   strong yes
overcast hot  normal weak   yes
rain     mild high   strong no
"""

columns = zip(*(row.split() for row in _ROWS.strip().splitlines()), strict=True)
names = ["outlook", "temperature", "humidity", "wind", "play"]
days = dict(zip(names, map(list, columns), strict=True))
day = {
    "outlook": ["sunny"],
    "temperature": ["cool"],
    "humidity": ["high"],
    "wind": ["strong"],
}
