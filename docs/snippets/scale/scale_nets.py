"""Learn a graph and a net from Parquet files."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq

import deciban as db

states = {
    "season": ("dry", "wet"),
    "rain": ("no", "yes"),
    "sprinkler": ("off", "on"),
    "grass": ("dry", "wet"),
}
tables = {
    "season": [0.5, 0.5],
    "rain": [[0.9, 0.1], [0.4, 0.6]],
    "sprinkler": [[0.3, 0.7], [0.9, 0.1]],
    "grass": [[[0.95, 0.05], [0.1, 0.9]], [[0.1, 0.9], [0.01, 0.99]]],
}
arrows = [
    ("season", "rain"),
    ("season", "sprinkler"),
    ("rain", "grass"),
    ("sprinkler", "grass"),
]
garden = db.BayesNet.from_tables(
    arrows, states, tables, parents={"grass": ("rain", "sprinkler")}
)

with TemporaryDirectory() as folder:
    for day in range(3):
        pq.write_table(
            garden.sample(20_000, random_state=day), Path(folder) / f"day-{day}.parquet"
        )

    found = db.discover(f"{folder}/*.parquet")
    print(found.graph)

    net = db.BayesNet(arrows).fit_files(folder)
    print(net.query("rain", {"grass": "wet"}))
    print(net.tally_)
