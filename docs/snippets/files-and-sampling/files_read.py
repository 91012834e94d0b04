"""Read a network file, convert it, and read a file with an error."""

from pathlib import Path
from tempfile import TemporaryDirectory

import deciban as db
from deciban.errors import FileError

clinic = db.read_net("clinic.bif")
print(clinic)
print(clinic.parents["dysp"], clinic.states["dysp"])

with TemporaryDirectory() as folder:
    clinic.write(f"{folder}/clinic.xdsl")
    print(db.read_net(f"{folder}/clinic.xdsl") == clinic)

    Path(folder, "invalid.bif").write_text("""network rain { }
variable rain { type discrete [ 2 ] { no, yes }; }
probability ( rain ) {
  table 0.8, 0.3;
}
""")
    try:
        db.read_net(f"{folder}/invalid.bif")
    except FileError as error:
        print(str(error).removeprefix(f"{folder}/"))
