"""The one door from a table to the codes and numbers of a net.

    read_rows        a table in memory → named columns, sample weights, missing values treated   (rows.py)
    code_rows        rows → ``CodedSample``: categories as codes, with their states              (samples.py)
    number_rows      rows → ``NumberSample``: columns of numbers                                 (samples.py)
    map_rows         rows in files → the same samples, in memory-mapped files                    (mapped.py)
    read_variables   any table, in memory or in files → one of the two samples                   (reading.py)

``discover``, ``search``, ``fit``, the tests, the scores, ``effect``, ``ida`` and the questions about rows all read
their table here, so each takes the same containers, refuses the same columns and uses the same codes: ``MISSING`` (−1)
for a missing value and ``UNSEEN`` (−2) for a value that is not a known state. A kernel that needs another form of the
codes gets it from an adapter next to the call.
"""
