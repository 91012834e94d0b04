"""A source over tables in memory: what an engine gives, without files."""

from itertools import pairwise

__all__ = ["Batches", "split"]


class Batches:
    """Arrow tables of the same columns, one after the other."""

    def __init__(self, tables):
        self.tables = list(tables)

    @property
    def names(self):
        return tuple(self.tables[0].column_names)

    def batches(self, columns=None):
        for table in self.tables:
            yield table if columns is None else table.select(list(columns))

    def sample(self, rows):
        return self.tables[0].slice(0, rows)

    def count(self, counting):
        total = None
        for table in self.batches(counting.columns):
            part = counting(table)
            total = part if total is None else total + part
        return total


def split(table, ends):
    """The source of a table that is split at some rows."""
    bounds = [0, *sorted(end % (len(table) + 1) for end in ends), len(table)]
    return Batches([table.slice(begin, end - begin) for begin, end in pairwise(bounds)])
