from . import net_file as net_file
from . import tally_file as tally_file
