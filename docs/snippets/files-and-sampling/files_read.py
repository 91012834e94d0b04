"""Read a network file, convert it, and read a file with an error."""

from pathlib import Path
from tempfile import TemporaryDirectory

import deciban as db
from deciban.errors import FileError

alarm = db.read_net("../shared/data/nets/alarm.bif.gz")
print(alarm)
print(alarm.parents["HR"], alarm.states["HR"])

with TemporaryDirectory() as folder:
    alarm.write(f"{folder}/alarm.xdsl")
    print(db.read_net(f"{folder}/alarm.xdsl") == alarm)

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
