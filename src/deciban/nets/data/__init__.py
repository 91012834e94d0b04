"""From a table to the codes and numbers of a net.

    node_rows   a table in memory → named columns, sample weights, missing values treated; their kinds and states
    samples     rows → ``CodedSample``: categories as codes, with their states; ``NumberSample``: columns of numbers
    mapped      rows in files → the same samples, in memory-mapped files
    centred     columns of numbers → their correlations

``discover``, ``search``, ``fit``, the tests, the scores, ``effect``, ``ida`` and the questions about rows all read
their table here, so each takes the same containers, refuses the same columns and uses the same codes: ``MISSING`` (−1)
for a missing value and ``UNSEEN`` (−2) for a value that is not a known state. A kernel that needs another form of the
codes converts them next to the call.
"""
