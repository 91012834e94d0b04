"""A spam filter for mailboxes that explains its predictions and learns from corrections.

    python examples/spam_filter.py train    filter.deciban --ham inbox.mbox --spam junk.mbox
    python examples/spam_filter.py classify filter.deciban new.mbox --explain
    python examples/spam_filter.py classify filter.deciban new.mbox --learn
    python examples/spam_filter.py correct  filter.deciban mistake.mbox --was ham --is spam

`classify --learn` also learns each message with its predicted label. If a label was wrong, `correct` forgets the
message with the wrong label and learns it with the right one. The counts are then the same as if the label had been
right from the start.
"""

from __future__ import annotations

import argparse
import mailbox
import re
import sys
from collections.abc import Iterator, Sequence
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.utils import parseaddr
from html.parser import HTMLParser
from pathlib import Path

import deciban as db
from deciban.errors import DecibanError, NegativeCountError

LABELS = ("ham", "spam")
_SKIPPED = ("script", "style", "head", "title")


class FilterError(Exception):
    """An error that the user can fix."""


# A message as a document ---------------------------------------------------------------------------------------------


def document_of(message: Message) -> str:
    """Return the text of a message, preceded by the words of its subject and sender, each with a prefix.

    An underscore is part of a word, so ``subject_free`` is one token, different from ``free`` in the body.
    """
    name, address = parseaddr(header(message, "From"))
    domain = address.rpartition("@")[2]
    prefixed = [f"subject_{word}" for word in words(header(message, "Subject"))]
    prefixed += [f"from_{word}" for word in words(name)]
    prefixed += [f"from_{'_'.join(words(part))}" for part in (address, domain) if part]
    return "\n".join([" ".join(prefixed), *parts_of(message)])


def parts_of(message: Message) -> Iterator[str]:
    """Yield the text of each text part, and of each multipart part without parts; HTML without its tags."""
    for part in message.walk():
        if part.get_content_type() == "text/html":
            yield without_tags(decoded(part))
        elif part.get_content_maintype() in ("text", "multipart") and not part.is_multipart():
            yield decoded(part)


def decoded(part: Message) -> str:
    """Return the text of a part; a wrong charset is tolerated, because mail is often malformed."""
    try:
        payload = part.get_payload(decode=True)
    except (MessageError, ValueError, AssertionError):
        payload = str(part.get_payload()).encode("utf-8", "replace")
    if not isinstance(payload, bytes):
        return ""
    return text_of(payload, part.get_content_charset("utf-8"))


def text_of(raw: bytes, charset: str | None) -> str:
    """Decode bytes; an unknown charset is read as UTF-8, and malformed bytes are replaced."""
    try:
        return raw.decode(charset or "utf-8", "replace")
    except (LookupError, ValueError, UnicodeError):
        return raw.decode("utf-8", "replace")


def header(message: Message, name: str) -> str:
    """Return a header as text, with its encoded words decoded if possible."""
    raw = str(message.get(name, ""))
    try:
        pieces = decode_header(raw)
    except (MessageError, ValueError):
        return raw
    return " ".join(text_of(piece, charset) if isinstance(piece, bytes) else piece for piece, charset in pieces)


def words(text: str) -> list[str]:
    """Return the words of a header."""
    return re.findall(r"\w+", text)


def printable(text: str) -> str:
    """Return a text on one line, without control characters."""
    return "".join(c if c.isprintable() else "\ufffd" for c in " ".join(text.split()))


class _Text(HTMLParser):
    """Collects the visible text and the targets of links."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self._skipped: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self._skipped.append(tag)
        self.text.extend(value for name, value in attrs if name == "href" and value)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._skipped:
            del self._skipped[self._skipped.index(tag) :]

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.text.append(data)


def without_tags(html: str) -> str:
    """Return the visible text of an HTML page, and the targets of its links."""
    reader = _Text()
    try:
        reader.feed(html)
        reader.close()
    except (AssertionError, ValueError):  # keep HTML that the parser cannot read
        return html
    return " ".join(reader.text)


# Mailboxes and filters -----------------------------------------------------------------------------------------------


def read_mailbox(path: str) -> list[Message]:
    """Return the messages of an mbox file."""
    if not Path(path).is_file():
        raise FilterError(f"there is no mailbox {path}.")
    try:
        box = mailbox.mbox(path, create=False)
        messages: list[Message] = list(box)
        box.close()
    except (OSError, mailbox.Error) as error:
        raise FilterError(f"the mailbox {path} cannot be read: {error}.") from error
    if not messages:
        raise FilterError(f"{path} holds no message: an mbox has a line that begins with 'From ' before each.")
    return messages


def read_filter(path: str) -> db.TextNB:
    """Load a filter that `train` has written."""
    if not Path(path).is_file():
        raise FilterError(f"there is no filter {path}. Make one with train.")
    model = db.load(path)
    if not isinstance(model, db.TextNB) or not set(LABELS) <= set(model.classes_.tolist()):
        raise FilterError(f"{path} is not a spam filter. Make one with train.")
    return model


def train(path: str, ham: Sequence[str], spam: Sequence[str]) -> str:
    """Train a filter on mailboxes of ham and mailboxes of spam."""
    mailboxes = {"ham": ham, "spam": spam}
    documents = {
        label: [document_of(m) for box in boxes for m in read_mailbox(box)] for label, boxes in mailboxes.items()
    }
    labels = [label for label in LABELS for _ in documents[label]]
    db.save(db.TextNB().fit(documents["ham"] + documents["spam"], labels), path)
    return f"{path}: learned {len(documents['ham'])} ham, {len(documents['spam'])} spam"


def classify(path: str, boxes: Sequence[str], *, explain: bool, learn: bool) -> Iterator[str]:
    """Yield the label, the probability of spam and the subject of each message; optionally learn the label."""
    model = read_filter(path)
    spam = model.classes_.tolist().index("spam")
    for message in [m for box in boxes for m in read_mailbox(box)]:
        document = document_of(message)
        label = str(model.predict([document])[0])
        subject = printable(header(message, "Subject")) or "(no subject)"
        yield f"{label:4}  {model.predict_proba([document])[0, spam]:.3f}  {subject}"
        if explain:
            weights = model.explain(document).weights(8)
            yield "      " + printable(", ".join(f"{name} {weight:+.1f}" for name, weight in weights))
        if learn:
            model.partial_fit([document], [label])
    if learn:
        db.save(model, path)


def correct(path: str, boxes: Sequence[str], was: str | None, label: str) -> str:
    """Forget messages that were learned with the label `was`, and learn them with the right label."""
    model = read_filter(path)
    documents = [document_of(message) for box in boxes for message in read_mailbox(box)]
    if was is not None:
        try:
            model.forget(documents, [was] * len(documents))
        except NegativeCountError as error:
            raise FilterError(f"these messages were not learned as {was}: {error} Leave out --was.") from error
    db.save(model.partial_fit(documents, [label] * len(documents)), path)
    return f"{path}: {len(documents)} learned as {label}" + (f", not as {was}" if was else "")


# The command ---------------------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    whole = argparse.ArgumentParser(description="A spam filter that learns from corrections.")
    steps = whole.add_subparsers(dest="step", required=True)
    step = steps.add_parser("train", help="train a filter on mailboxes of ham and of spam")
    step.add_argument("filter", help="where to write the filter")
    for label in LABELS:
        step.add_argument(f"--{label}", nargs="+", required=True, metavar="MBOX", help=f"mailboxes of {label}")
    step = steps.add_parser("classify", help="print the label, the probability of spam and the subject of each message")
    step.add_argument("filter", help="a filter written by train")
    step.add_argument("mailbox", nargs="+", help="mbox files")
    step.add_argument("--explain", action="store_true", help="show the tokens with the largest weights, in decibans")
    step.add_argument("--learn", action="store_true", help="learn each message with its predicted label")
    step = steps.add_parser("correct", help="correct a label")
    step.add_argument("filter", help="a filter written by train")
    step.add_argument("mailbox", nargs="+", help="mbox files with the misclassified messages")
    step.add_argument("--was", choices=LABELS, help="the label that they were learned with, if any")
    step.add_argument("--is", choices=LABELS, required=True, dest="label", help="the right label")
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 1 and print the reason if it fails."""
    given = parser().parse_args(arguments)
    try:
        if given.step == "train":
            print(train(given.filter, given.ham, given.spam))
        elif given.step == "classify":
            for line in classify(given.filter, given.mailbox, explain=given.explain, learn=given.learn):
                print(line)
        else:
            print(correct(given.filter, given.mailbox, given.was, given.label))
    except (FilterError, DecibanError, OSError) as error:
        print(f"spam_filter: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
