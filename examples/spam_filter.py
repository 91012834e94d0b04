"""A spam filter that learns from its user: mailboxes in, decisions and their reasons out.

    python examples/spam_filter.py train    filter.deciban --ham inbox.mbox --spam junk.mbox
    python examples/spam_filter.py classify filter.deciban new.mbox --explain
    python examples/spam_filter.py classify filter.deciban new.mbox --learn
    python examples/spam_filter.py correct  filter.deciban mistake.mbox --was ham --is spam

`classify --learn` learns each message as what it was taken for. Where the user says that this was a mistake, `correct`
forgets the message as what it was and learns it as what it is: the counts are then those of a filter that never erred.
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
_SILENT = ("script", "style", "head", "title")


class FilterError(Exception):
    """What the user can put right."""


# A message as a document ---------------------------------------------------------------------------------------------


def document_of(message: Message) -> str:
    """The text of a message, behind the words of its subject and its sender, each with a prefix.

    An underscore is part of a word, so ``subject_free`` is one token and not that of ``free`` in the body.
    """
    name, address = parseaddr(header(message, "From"))
    domain = address.rpartition("@")[2]
    marked = [f"subject_{word}" for word in words(header(message, "Subject"))]
    marked += [f"from_{word}" for word in words(name)]
    marked += [f"from_{'_'.join(words(part))}" for part in (address, domain) if part]
    return "\n".join([" ".join(marked), *parts_of(message)])


def parts_of(message: Message) -> Iterator[str]:
    """The text of each part that is text, or claims to hold parts and has none; HTML without its tags."""
    for part in message.walk():
        if part.get_content_type() == "text/html":
            yield without_tags(decoded(part))
        elif part.get_content_maintype() in ("text", "multipart") and not part.is_multipart():
            yield decoded(part)


def decoded(part: Message) -> str:
    """The text of a part, whatever its charset claims: mail of strangers is often malformed."""
    try:
        payload = part.get_payload(decode=True)
    except (MessageError, ValueError, AssertionError):
        payload = str(part.get_payload()).encode("utf-8", "replace")
    if not isinstance(payload, bytes):
        return ""
    return text_of(payload, part.get_content_charset("utf-8"))


def text_of(raw: bytes, charset: str | None) -> str:
    """Bytes as text; in an unknown charset, as UTF-8 with what is malformed replaced."""
    try:
        return raw.decode(charset or "utf-8", "replace")
    except (LookupError, ValueError, UnicodeError):
        return raw.decode("utf-8", "replace")


def header(message: Message, name: str) -> str:
    """A header as text, with its encoded words decoded as far as they can be."""
    raw = str(message.get(name, ""))
    try:
        pieces = decode_header(raw)
    except (MessageError, ValueError):
        return raw
    return " ".join(text_of(piece, charset) if isinstance(piece, bytes) else piece for piece, charset in pieces)


def words(text: str) -> list[str]:
    """The words of a header, for tokens of its own."""
    return re.findall(r"\w+", text)


def printable(text: str) -> str:
    """A text on one line, without what would steer a terminal."""
    return "".join(c if c.isprintable() else "\ufffd" for c in " ".join(text.split()))


class _Text(HTMLParser):
    """Collects what a reader sees, and where links lead."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.seen: list[str] = []
        self._silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent.append(tag)
        self.seen.extend(value for name, value in attrs if name == "href" and value)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._silent:
            del self._silent[self._silent.index(tag) :]

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.seen.append(data)


def without_tags(html: str) -> str:
    """The text of an HTML page, and the addresses of its links."""
    reader = _Text()
    try:
        reader.feed(html)
        reader.close()
    except (AssertionError, ValueError):  # what the parser cannot read is kept as it is
        return html
    return " ".join(reader.seen)


# Mailboxes and filters -----------------------------------------------------------------------------------------------


def read_mailbox(path: str) -> list[Message]:
    """The messages of an mbox file."""
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
    """The filter that `train` has made."""
    if not Path(path).is_file():
        raise FilterError(f"there is no filter {path}. Make one with train.")
    model = db.load(path)
    if not isinstance(model, db.TextNB) or not set(LABELS) <= set(model.classes_.tolist()):
        raise FilterError(f"{path} is not a spam filter. Make one with train.")
    return model


def train(path: str, ham: Sequence[str], spam: Sequence[str]) -> str:
    """Make a filter of mailboxes whose messages are all ham, or all spam."""
    found = {"ham": ham, "spam": spam}
    documents = {label: [document_of(m) for box in boxes for m in read_mailbox(box)] for label, boxes in found.items()}
    labels = [label for label in LABELS for _ in documents[label]]
    db.save(db.TextNB().fit(documents["ham"] + documents["spam"], labels), path)
    return f"{path}: learned {len(documents['ham'])} ham, {len(documents['spam'])} spam"


def classify(path: str, boxes: Sequence[str], *, explain: bool, learn: bool) -> Iterator[str]:
    """Say of each message what it is taken for, and how surely; learn it as that where asked."""
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
    """Take messages that were learned as something else out, and learn them as what they are."""
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
    """What the command takes."""
    whole = argparse.ArgumentParser(description="A spam filter that learns from its user.")
    steps = whole.add_subparsers(dest="step", required=True)
    step = steps.add_parser("train", help="make a filter of sorted mailboxes")
    step.add_argument("filter", help="where to write the filter")
    for label in LABELS:
        step.add_argument(f"--{label}", nargs="+", required=True, metavar="MBOX", help=f"mailboxes of {label}")
    step = steps.add_parser("classify", help="say what messages are: label, probability of spam, subject")
    step.add_argument("filter", help="a filter that train has made")
    step.add_argument("mailbox", nargs="+", help="mbox files")
    step.add_argument("--explain", action="store_true", help="show what speaks for each label, in decibans")
    step.add_argument("--learn", action="store_true", help="learn each message as what it is taken for")
    step = steps.add_parser("correct", help="put a mistake right")
    step.add_argument("filter", help="a filter that train has made")
    step.add_argument("mailbox", nargs="+", help="mbox files with the messages that were mistaken")
    step.add_argument("--was", choices=LABELS, help="what they were learned as, if they were")
    step.add_argument("--is", choices=LABELS, required=True, dest="label", help="what they are")
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one step; give 1, with a line that says why, where it cannot be done."""
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
