from . import net_files as net_files
