"""Ten days: sprinkler, rain, and whether the path is wet."""

import deciban as db

_DAYS = """
off no  no
off no  no
off no  no
on  no  yes
on  no  yes
on  no  no
off yes yes
off yes yes
off yes yes
off yes no
"""

columns = zip(*(day.split() for day in _DAYS.strip().splitlines()), strict=True)
days = dict(zip(["sprinkler", "rain", "wet"], map(list, columns), strict=True))
graph = db.DAG([("sprinkler", "wet"), ("rain", "wet")])
