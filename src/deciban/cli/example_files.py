"""The files of the examples: a table, a row, messages, a Bayes net with rows that were sampled from it, and a model."""

from __future__ import annotations

import json
from pathlib import Path

from deciban.cli.demonstration.sprinkler import GARDEN
from deciban.cli.demonstration.tennis import DAYS, SUNNY_DAY, TARGET
from deciban.engines.files.writing import as_csv
from deciban.files import write_whole
from deciban.models import NaiveBayes
from deciban.models.storage.file import save

__all__ = ["write_examples"]

_MESSAGES = {
    "spam": (
        "win a free prize now",
        "claim your free ticket today",
        "cheap loans, call now",
        "you won, claim the prize",
    ),
    "ham": ("see you at lunch", "the meeting is at noon", "call me when you are home", "thanks for the ticket"),
}
_ROWS = 2000


def write_examples(folder: Path) -> list[str]:
    """Write the files into a folder, which is made where it does not exist; return their names."""
    folder.mkdir(parents=True, exist_ok=True)
    messages = [{"label": label, "text": text} for label, texts in _MESSAGES.items() for text in texts]
    contents = {
        "tennis.csv": as_csv(DAYS),
        "monday.csv": as_csv({name: values[:1] for name, values in DAYS.items()}),
        "day.json": json.dumps(SUNNY_DAY).encode() + b"\n",
        "messages.jsonl": "".join(f"{json.dumps(message)}\n" for message in messages).encode(),
        "garden.csv": as_csv(GARDEN.sample(_ROWS, random_state=0)),
    }
    for name, content in contents.items():
        write_whole(folder / name, content)
    GARDEN.write(folder / "garden.bif")
    save(NaiveBayes().fit(DAYS, TARGET), folder / "tennis.deciban")
    return [*contents, "garden.bif", "tennis.deciban"]
