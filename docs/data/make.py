"""Make the data files of the documentation: python docs/data/make.py.

All data here are made up: people, messages and votes are drawn at random from the models that the functions below
describe, with fixed seeds, so the files can be copied and used for anything. ``clinic.bif`` holds the published
tables of Lauritzen and Spiegelhalter (1988). A function returns the content of a file; ``FILES`` lists them.

Everything is computed from ``Random.random()``, the one method whose numbers are the same in all versions of Python.
"""

from __future__ import annotations

import csv
import runpy
from bisect import bisect
from collections.abc import Iterable, Sequence
from io import StringIO
from itertools import accumulate
from math import exp, log
from pathlib import Path
from random import Random
from statistics import NormalDist

from deciban.nets.io.bif import write_bif

HERE = Path(__file__).resolve().parent
_PHRASES = runpy.run_path(str(HERE / "phrases.py"))


def people() -> str:
    """A survey of 2,000 people of an invented country, and whether the income of each is high (559 of them).

    Age and region are drawn first. Education depends on age, occupation on education and region, the household on age.
    The log-odds of a high income are a sum over education, occupation, hours, age and household. Home ownership,
    commute and dividends depend on the income; dividends are zero for most people. `years_of_education` repeats
    `education` as a number. Most people without paid work, and a few others, state neither occupation ("?") nor hours
    (empty), and people without work have no commute (empty). Some other values are missing at random (empty).
    """
    rng = Random(1)
    names = "person age region education years_of_education occupation hours household household_size owns_home"
    rows = [_person(rng, 1001 + i) for i in range(2000)]
    return _csv([*names.split(), "commute", "dividends", "income"], rows)


_YEARS = {"primary": 8, "secondary": 10, "vocational": 12, "diploma": 14, "degree": 16, "doctorate": 20}
_PAY = {
    "farming": -0.9, "fishing": -0.7, "crafts": 0.0, "sales": -0.4, "office": 0.0, "care": -0.3,
    "teaching": 0.3, "engineering": 0.9, "management": 1.3, "none": -1.6,
}  # fmt: skip
_OCCUPATIONS = {  # relative frequencies, by years of education: up to 10, up to 14, more
    10: {"farming": 20, "fishing": 1, "crafts": 25, "sales": 25, "office": 8, "care": 18, "management": 3},
    14: {"farming": 6, "crafts": 25, "sales": 20, "office": 25, "care": 15, "engineering": 6, "management": 8},
    20: {"sales": 8, "office": 15, "care": 10, "teaching": 25, "engineering": 25, "management": 17},
}
_HOURS = {"farming": 46, "management": 44, "care": 34, "sales": 35}


def _person(rng: Random, number: int) -> list[object]:
    age = 18 + int(70 * min(rng.random(), rng.random()) ** 0.9)
    region = _draw(rng, {"north": 30, "south": 34, "coast": 25, "hills": 10, "island": 1})
    education = _draw(rng, _education(age))
    years = _YEARS[education]
    occupation = _occupation(rng, age, years, region)
    hours = 0 if occupation == "none" else round(min(max(_normal(rng, _HOURS.get(occupation, 38), 7), 4), 80))
    household, size = _household(rng, age)
    score = -1.1 + 0.3 * (years - 12) + _PAY[occupation] + 0.05 * (hours - 38) - 0.0013 * (age - 50) ** 2
    score += 0.9 * (household in ("couple", "family"))
    is_high = rng.random() < 1 / (1 + exp(-score))
    owns_home = rng.random() < (0.2 + 0.006 * (age - 18) + 0.25 * is_high)
    minutes = round((12 + 4 * is_high) * -log((1 - rng.random()) * (1 - rng.random())))
    dividends = round(exp(_normal(rng, 7 + is_high, 1.4))) if rng.random() < 0.06 + 0.24 * is_high else 0
    is_silent = rng.random() < (0.75 if occupation == "none" else 0.03)
    return [
        f"P{number}",
        age,
        _sometimes_missing(rng, region, 0.02),
        education,
        years,
        "?" if is_silent else occupation,
        "" if is_silent else _sometimes_missing(rng, hours, 0.04),
        household,
        size,
        _sometimes_missing(rng, "yes" if owns_home else "no", 0.03),
        "" if occupation == "none" else minutes,
        dividends,
        "high" if is_high else "low",
    ]


def _education(age: int) -> dict[str, float]:
    """Relative frequencies: older people left school earlier, and nobody has a doctorate below 26."""
    old = (age - 18) / 70
    late = {"diploma": 20, "degree": 24 - 16 * old, "doctorate": 3} if age >= 26 else {"diploma": 15, "degree": 8}
    return {"primary": 4 + 26 * old, "secondary": 28, "vocational": 24} | late


def _occupation(rng: Random, age: int, years: int, region: str) -> str:
    if rng.random() < (0.08 if age < 63 else 0.7):
        return "none"
    shares = next(shares for most, shares in _OCCUPATIONS.items() if years <= most)
    return _draw(rng, shares | {"fishing": 30} if region == "island" else shares)


def _household(rng: Random, age: int) -> tuple[str, int]:
    if age < 28:
        household = _draw(rng, {"single": 30, "shared": 35, "couple": 25, "family": 10})
    elif age < 58:
        household = _draw(rng, {"single": 20, "shared": 5, "couple": 25, "family": 50})
    else:
        household = _draw(rng, {"single": 35, "shared": 2, "couple": 55, "family": 8})
    size = {"single": 1, "couple": 2}.get(household)
    return household, size or int(_draw(rng, {"2": 15, "3": 35, "4": 33, "5": 12, "6": 5}))


def messages() -> str:
    """1,500 short messages in English, each of which is spam with probability 1/6.

    A message is a phrase of some kind (an appointment, a parcel, a prize, …) with its blanks filled from lists of
    words, often with a greeting before it and a closing after it. A fifth is written in haste: abbreviated, in small
    letters, with two letters swapped. The labels overlap: one spam message in seven begins as a message of a friend,
    one other message in twenty-five quotes spam, and links, numbers, parcels, banks and offers occur under both labels.
    No message occurs twice.
    """
    rng = Random(2)
    labels: dict[str, str] = {}
    while len(labels) < 1500:
        label = "spam" if rng.random() < 1 / 6 else "ham"
        while (text := _message(rng, label)) in labels:
            pass
        labels[text] = label
    return _csv(["label", "text"], [(label, text) for text, label in labels.items()])


def _message(rng: Random, label: str) -> str:
    text = _phrase(rng, label)
    if label == "spam" and rng.random() < 1 / 7:
        text = f"{_sentence(rng, 'ham')} {_fill(rng, _pick(rng, _PHRASES['BAITS']))}"
    elif label == "ham" and rng.random() < 1 / 25:
        text = f"{_sentence(rng, 'spam')} {_pick(rng, _PHRASES['COMMENTS'])}"
    if rng.random() < 0.5:
        text = f"{_fill(rng, _pick(rng, _PHRASES['OPENINGS'][label]))} {text}"
    if rng.random() < 0.8:
        text = f"{text} {_fill(rng, _pick(rng, _PHRASES['CLOSINGS'][label]))}"
    return _in_haste(rng, text) if rng.random() < 0.2 else text


def _phrase(rng: Random, label: str) -> str:
    kinds = _PHRASES["KINDS"][label]
    return _fill(rng, _pick(rng, kinds[_pick(rng, list(kinds))]))


def _sentence(rng: Random, label: str) -> str:
    phrase = _phrase(rng, label)
    return phrase if phrase[-1] in ".?!" else f"{phrase}."


def _fill(rng: Random, phrase: str) -> str:
    """The phrase with a word in each blank: {name}, {day}, …; each # in a word becomes a digit."""
    while "{" in phrase:
        start, end = phrase.index("{"), phrase.index("}")
        word = _pick(rng, _PHRASES["WORDS"][phrase[start + 1 : end]])
        phrase = phrase[:start] + word + phrase[end + 1 :]
    return "".join(_pick(rng, "0123456789") if letter == "#" else letter for letter in phrase)


def _in_haste(rng: Random, text: str) -> str:
    words = [_PHRASES["SHORT"].get(word, word) for word in text.lower().split()]
    i = int(rng.random() * len(words))
    if len(words[i]) > 3 and words[i].isalpha():
        j = int(rng.random() * (len(words[i]) - 1))
        words[i] = words[i][:j] + words[i][j + 1] + words[i][j] + words[i][j + 2 :]
    return " ".join(words)


SUBJECTS = {  # the hidden opinions, and the bills that follow from each
    "bridge": ("bridge_plan", "bridge_loan", "bridge_route", "bridge_toll"),
    "schools": ("school_meals", "school_buses", "smaller_classes"),
    "farming": ("river_dams", "farm_subsidy"),
}
_IN_FAVOUR = {  # P(yes | party) of an opinion, and of the bills that stand alone
    "lake": {
        "bridge": 0.75, "schools": 0.8, "farming": 0.5, "tax_cut": 0.25, "tram_line": 0.7, "stadium": 0.5,
        "night_trains": 0.65,
    },
    "hill": {
        "bridge": 0.2, "schools": 0.3, "farming": 0.65, "tax_cut": 0.75, "tram_line": 0.35, "stadium": 0.5,
        "night_trains": 0.4,
    },
}  # fmt: skip


def ballots() -> str:
    """The votes of the 400 members of an invented parliament on thirteen bills, and the party of each member.

    A member has an opinion on the bridge, on schools and on farming, which depends on the party, and votes for a bill
    of that subject according to the opinion with probability 0.92. The votes on bills of one subject are therefore
    dependent given the party. The other four bills are independent of all others given the party. One vote in twenty
    is missing (empty).
    """
    rng = Random(3)
    bills = [bill for subject in SUBJECTS.values() for bill in subject]
    alone = [name for name in _IN_FAVOUR["lake"] if name not in SUBJECTS]
    rows = []
    for _ in range(400):
        party = "lake" if rng.random() < 0.55 else "hill"
        views = {name: rng.random() < p for name, p in _IN_FAVOUR[party].items()}
        votes = [views[subject] == (rng.random() < 0.92) for subject, those in SUBJECTS.items() for _ in those]
        votes += [views[name] for name in alone]
        rows.append([party, *(_sometimes_missing(rng, "yes" if vote else "no", 0.05) for vote in votes)])
    return _csv(["party", *bills, *alone], rows)


def clinic() -> str:
    """The chest clinic network (Lauritzen and Spiegelhalter, 1988), as docs/tutorials/inference.md has it."""
    net = runpy.run_path(str(HERE.parent / "snippets" / "tables" / "clinic.py"))["net"]
    return write_bif(net)


FILES = {"people.csv": people, "messages.csv": messages, "ballots.csv": ballots, "clinic.bif": clinic}


def _draw(rng: Random, frequencies: dict[str, float]) -> str:
    bounds = list(accumulate(frequencies.values()))
    return list(frequencies)[bisect(bounds, rng.random() * bounds[-1])]


def _normal(rng: Random, mean: float, sd: float) -> float:
    return NormalDist(mean, sd).inv_cdf(1 - rng.random())


def _pick(rng: Random, words: Sequence[str]) -> str:
    return words[int(rng.random() * len(words))]


def _sometimes_missing(rng: Random, value: object, probability: float) -> object:
    return "" if rng.random() < probability else value


def _csv(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows([names, *rows])
    return text.getvalue()


if __name__ == "__main__":
    for name, content in FILES.items():
        (HERE / name).write_text(content(), encoding="utf-8", newline="\n")
