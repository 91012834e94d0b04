"""The season decides whether the sprinkler is on and whether it rains; either makes the path wet, and so slippery."""

import deciban as db

arrows = [("season", "sprinkler"), ("season", "rain"), ("sprinkler", "wet"), ("rain", "wet"), ("wet", "slippery")]
graph = db.DAG(arrows)
