from .query import Wanted as Wanted
from .query import write_query as write_query
