"""Make ham.mbox, spam.mbox and the folder new: python examples/spam_filter/make_data.py.

Mail of a person who works in an office and orders things on the web, put together from sentences that were written for
this example. No message was ever sent; all addresses end in .example or .test, which cannot exist. What is assumed:

- 48 messages of ham (work, family, orders and newsletters) and 48 of spam (prizes, pills, loans, false parcels and
  false warnings of a bank) to learn from, and 12 new ones in a folder, each in a file of its own.
- Of the new messages, one is a newsletter that offers a discount, and one a false invoice that reads like work.

Generated mail is easier than real mail. The scores of this example say nothing about real mailboxes; the tutorial on
text has those of real messages.
"""

from __future__ import annotations

import mailbox
from email.message import EmailMessage
from email.policy import EmailPolicy
from pathlib import Path
from random import Random

FOLDER, SEED, EACH = Path(__file__).parent, 4, 48

Kind = tuple[list[str], list[str], list[str], list[str]]  # senders, subjects, first and second sentences

HAM: list[Kind] = [
    (
        ["Ann Meyer <ann@office.example>", "Raj Patel <raj@office.example>", "Lena <lena@office.example>"],
        ["Meeting on {day}", "Draft of the report", "Re: figures for {month}", "Minutes of {day}"],
        [
            "The meeting moved to {day} at {hour}.",
            "I have put the draft of the report into the shared folder.",
            "Could you check the figures for {month} before {day}?",
            "Thank you for the minutes, two small corrections are below.",
        ],
        [
            "See you at lunch.",
            "Please send your comments by {day}.",
            "The project plan is attached.",
            "Best, and thanks.",
        ],
    ),
    (
        ["Mum <mum@family.example>", "Tom <tom@family.example>"],
        ["Sunday", "Photos", "Dinner on {day}?", "Birthday"],
        [
            "Are you free for dinner on {day}?",
            "Here are the photos of the weekend.",
            "Grandma asks whether you come on {day}.",
            "Do not forget the birthday in {month}.",
        ],
        ["Love, Mum", "Call me when you are home.", "The children look forward to it.", "Bring the tent if you can."],
    ),
    (
        ["Book shop <orders@books.example>", "Rail tickets <service@rail.example>"],
        ["Your order {number}", "Your ticket for {day}", "Invoice {number}"],
        [
            "Thank you for your order {number}. It will arrive on {day}.",
            "Your ticket for {day} at {hour} is attached.",
            "The invoice {number} for your order is attached.",
        ],
        ["You can return it within 30 days.", "Platform numbers are shown at the station.", "Your bookseller"],
    ),
    (
        ["Chess club <news@chess.example>", "Library <news@library.example>"],
        ["News of {month}", "Programme for {month}"],
        [
            "The programme for {month}: a lecture on {day} at {hour}.",
            "New books this month, and the library closes early on {day}.",
        ],
        ["To unsubscribe from this newsletter, click here.", "Members get a free coffee.", "See you at the club."],
    ),
]

SPAM: list[Kind] = [
    (
        ["Winner Service <win@prize.test>", "Lotto <claim@lucky.test>"],
        ["You won!!!", "Claim your prize now", "Congratulations winner {number}"],
        ["Congratulations, you have won a free prize of ${number}!", "Your number {number} is a winner."],
        ["Click here now to claim your money.", "Reply today, this offer expires on {day}.", "100% free, no risk."],
    ),
    (
        ["Pharmacy <deal@pills.test>", "Health Deals <offer@pills.test>"],
        ["Cheap pills", "80% discount today", "No prescription"],
        ["Buy cheap pills online, no prescription needed.", "Discount of 80% on all pills, only today."],
        ["Free delivery, order now.", "Click here for the best price.", "Money back guarantee."],
    ),
    (
        ["Fast Loan <cash@loan.test>", "Crypto Profit <rich@coin.test>"],
        ["Cash in {hour}", "Make money fast", "Your loan is approved"],
        ["Get a loan of ${number} today without any check.", "Double your money in a week, guaranteed profit."],
        ["Act now, the offer ends on {day}.", "Click here and become rich.", "Join 10,000 happy winners."],
    ),
    (
        ["Parcel Service <track@parcel.test>", "Your Bank <security@bank.test>"],
        ["Your parcel is waiting", "Your account is locked", "Final warning"],
        [
            "Your parcel could not be delivered, pay a fee of ${number} now.",
            "Your bank account is locked. Confirm your password here within 24 hours.",
        ],
        ["Click the link now to verify your account.", "Otherwise it will be closed on {day}.", "Security team"],
    ),
]

NEW: list[tuple[str, str, str, str]] = [  # label, sender, subject, text
    (
        "ham",
        "Raj Patel <raj@office.example>",
        "Figures for June",
        "Could you check the figures? The meeting is on Friday.",
    ),
    ("spam", "Lucky Draw <draw@lucky.test>", "Claim your free prize", "You won! Click here now to claim your money."),
    ("ham", "Tom <tom@family.example>", "Tent", "Bring the tent on Sunday if you can. Dinner is at seven."),
    ("spam", "Web Pharmacy <shop@meds.test>", "Pills at half price", "Cheap pills, no prescription, order now."),
    ("ham", "Rail tickets <service@rail.example>", "Your ticket", "Your ticket for Monday at 9:00 is attached."),
    (
        "spam",
        "Bank Security <alert@secure.test>",
        "Account locked",
        "Confirm your password within 24 hours, click here.",
    ),
    ("ham", "Book shop <orders@books.example>", "20% discount", "Only today: free delivery, order now and click here."),
    (
        "spam",
        "Accounts <invoice@office-pay.test>",
        "Invoice 4711",
        "The invoice for the project is attached, please pay by Friday.",
    ),
    (
        "ham",
        "Library <news@library.example>",
        "News of May",
        "A lecture on Thursday at 18:00. Members get a free coffee.",
    ),
    (
        "spam",
        "Coin Club <join@coin.test>",
        "Guaranteed profit",
        "Double your money in a week and become rich, act now.",
    ),
    (
        "ham",
        "Lena <lena@office.example>",
        "Re: draft",
        "Thank you for the draft, my comments are in the shared folder.",
    ),
    ("spam", "Parcel <fee@parcel.test>", "Parcel waiting", "Pay a fee now, otherwise your parcel goes back."),
]


def drawn(rng: Random, kinds: list[Kind]) -> EmailMessage:
    """Draw a message: a kind of mail, its sender and its sentences."""
    senders, subjects, first, second = rng.choice(kinds)
    text = " ".join([*rng.sample(first, min(2, len(first))), rng.choice(second)])
    slots = {
        "day": rng.choice(["Monday", "Tuesday", "Thursday", "Friday", "Sunday"]),
        "month": rng.choice(["March", "April", "May", "June"]),
        "hour": rng.choice(["9:00", "12:30", "18:00"]),
        "number": rng.randrange(1000, 10_000),
    }
    return message(rng.choice(senders), rng.choice(subjects).format(**slots), text.format(**slots))


def message(sender: str, subject: str, text: str) -> EmailMessage:
    """Return a message; all have the same date, so that the files are always the same."""
    made = EmailMessage(policy=EmailPolicy(utf8=True))
    made["From"], made["To"], made["Subject"] = sender, "me@home.example", subject
    made["Date"] = "Mon, 05 Jan 2026 09:00:00 +0000"
    made.set_content(text)
    return made


def main() -> None:
    """Write both mailboxes and the folder."""
    rng = Random(SEED)  # noqa: S311
    for name, kinds in (("ham", HAM), ("spam", SPAM)):
        path = FOLDER / f"{name}.mbox"
        path.unlink(missing_ok=True)
        box = mailbox.mbox(path)
        for _ in range(EACH):
            held = mailbox.mboxMessage(drawn(rng, kinds))
            held.set_from("me@home.example Mon Jan  5 09:00:00 2026")
            box.add(held)
        box.close()
    (FOLDER / "new").mkdir(exist_ok=True)
    for number, (label, sender, subject, text) in enumerate(NEW, start=1):
        made = message(sender, subject, text)
        made["X-Label"] = label  # for the score of the example; the filter does not read it
        (FOLDER / "new" / f"{number:02}.eml").write_bytes(made.as_bytes())


if __name__ == "__main__":
    main()
