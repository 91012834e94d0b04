from . import net_files as net_files
from . import result_files as result_files
