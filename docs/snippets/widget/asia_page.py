"""Write a page with the net, which answers without Python."""

from pathlib import Path
from tempfile import TemporaryDirectory

from clinic import net

with TemporaryDirectory() as folder:
    path = net.live_page("Chest clinic").save(Path(folder) / "clinic.html")
    print(path.name, path.stat().st_size < 100_000)
