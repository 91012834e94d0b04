"""Durable learning: rows are acknowledged when they are on the disk, and no failure loses or doubles one.

    POST /learn ──► check ──► journal (SQLite, on the disk) ──► new model ──► answer
                                 │ from time to time
                                 ▼
                              model file (replaced as a whole)

The journal is a list of changes, each with a position that is never used again. The model file names the journal and
the last position that it includes. So a model is always its file and the changes above that position, in order:
whatever happens between two steps, nothing is missing and nothing is applied twice.

- `changes.py`: one batch of rows to learn or to forget;
- `journal.py`: the journal on the disk;
- `journaled_model.py`: a model file and its journal, together one model;
- `live_model.py`: the same for many threads, which share transactions;
- `routes.py`: ``POST /learn`` and ``POST /forget``.
"""
