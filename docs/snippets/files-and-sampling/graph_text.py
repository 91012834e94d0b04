"""Graphs as text: bnlearn's model strings and the language of dagitty."""

import deciban as db
from deciban.errors import GraphTextError

weather = db.DAG.from_string("[season][rain|season][wet|rain]")
print(weather)
print(weather.to_dagitty())

hidden = db.PAG.from_dagitty('pag { "blood pressure" <-> stroke; smoking @-> stroke }')
print(hidden)

try:
    db.DAG.from_string("[season][rain|seasons]")
except GraphTextError as error:
    print(error)
