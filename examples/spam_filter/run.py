"""A spam filter for mailboxes that explains its predictions and learns from corrections.

    python examples/spam_filter/run.py
    python examples/spam_filter/run.py train    filter.deciban --ham inbox.mbox --spam junk.mbox
    python examples/spam_filter/run.py classify filter.deciban new.mbox --explain
    python examples/spam_filter/run.py classify filter.deciban new.mbox --learn
    python examples/spam_filter/run.py correct  filter.deciban mistake.eml --was ham --is spam

Without a command it shows all of this on the messages of its folder. Mail is read from mbox files, from Maildir
folders, from folders with a message in each file, and from single files that end in .eml.

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
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.utils import parseaddr
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill
from typing import Any

import deciban as db
from deciban.errors import DecibanError, NegativeCountError

FOLDER = Path(__file__).parent
LABELS = ("ham", "spam")
_COLOURS = ("#2b7bba", "#c44e52")  # of ham and spam
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
    """Return the messages of an mbox file, of a folder, or of a file that ends in .eml."""
    if not Path(path).exists():
        raise FilterError(f"there is no mailbox {path}.")
    try:
        messages = _folder(Path(path)) if Path(path).is_dir() else _file(Path(path))
    except (OSError, mailbox.Error) as error:
        raise FilterError(f"the mailbox {path} cannot be read: {error}.") from error
    if not messages:
        raise FilterError(f"{path} holds no message: an mbox has a line that begins with 'From ' before each.")
    return messages


def _file(path: Path) -> list[Message]:
    """Return the messages of an mbox file, or the one of an .eml file."""
    if path.suffix == ".eml":
        return [message_from_bytes(path.read_bytes())]
    box = mailbox.mbox(path, create=False)
    messages: list[Message] = list(box)
    box.close()
    return messages


def _folder(path: Path) -> list[Message]:
    """Return the messages of a Maildir, or of a folder in which each file is a message; by the names of the files."""
    is_maildir = (path / "cur").is_dir() and (path / "new").is_dir()
    folders = [path / "new", path / "cur"] if is_maildir else [path]
    files = sorted(file for folder in folders for file in folder.iterdir() if file.is_file())
    return [message_from_bytes(file.read_bytes()) for file in files if not file.name.startswith(".")]


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


# The demonstration ---------------------------------------------------------------------------------------------------


def demonstrate(picture: Path) -> Iterator[str]:
    """Yield the account of a filter that learns the messages of this folder, and is corrected; draw its picture."""
    ham, spam, new = (str(FOLDER / name) for name in ("ham.mbox", "spam.mbox", "new"))
    files = sorted((FOLDER / "new").iterdir())
    with TemporaryDirectory() as folder:
        path, right = (str(Path(folder, f"{name}.deciban")) for name in ("filter", "right"))
        train(path, [ham], [spam])
        model, messages = read_filter(path), read_mailbox(new)
        yield f"learned {model.tally_.total} messages of ham.mbox and spam.mbox; P(spam) in the folder new:"
        truth = [str(message["X-Label"]) for message in messages]
        lines = list(classify(path, [new], explain=False, learn=True))
        mistakes = [row for row, line in enumerate(lines) if not line.startswith(truth[row])]
        for row, line in enumerate(lines):
            yield f"  {files[row].name}  {line}" + (f"   ← is {truth[row]}" if row in mistakes else "")
        for row in mistakes:
            yield ""
            yield from correction(model, path, files[row], truth[row])
        of = {label: [str(file) for file, true in zip(files, truth, strict=True) if true == label] for label in LABELS}
        train(right, [ham, *of["ham"]], [spam, *of["spam"]])
        is_same = read_filter(path).tally_ == read_filter(right).tally_
        yield f"\nthe counts equal those of a filter that never erred: {is_same}"
    draw(model, messages, messages[mistakes[0]], picture)
    yield f"\npicture: {picture}"


def correction(model: db.TextNB, path: str, file: Path, label: str) -> Iterator[str]:
    """Yield why a model that has not learned a message was wrong; correct the filter, and yield its new answer."""
    was = "ham" if label == "spam" else "spam"
    (message,) = read_mailbox(str(file))
    weights = model.explain(document_of(message), against=label).weights(3)
    listed = ", ".join(f"{name} {weight:+.1f}" for name, weight in weights)
    yield fill(f"{file.name}, decibans for {was}: {listed}", 72, subsequent_indent="  ")
    correct(path, [str(file)], was, label)
    yield f"{file.name} after the correction: {next(classify(path, [str(file)], explain=False, learn=False))}"


def draw(model: db.TextNB, messages: Sequence[Message], explained: Message, path: Path) -> None:
    """Draw the log-odds of the messages by their true label, and the weights of one of them."""
    import matplotlib as mpl  # noqa: PLC0415  the other commands do not need it
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context({"svg.hashsalt": "deciban", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(8.4, 3.6), layout="constrained")
        left, right = figure.subplots(1, 2)
        _draw_messages(left, model, messages)
        _draw_weights(right, model, explained)
        figure.savefig(path, metadata={"Date": None})


def _draw_messages(axes: Any, model: db.TextNB, messages: Sequence[Message]) -> None:
    totals = [model.explain(document_of(message), against="ham").total_db for message in messages]
    for label, colour, marker in zip(LABELS, _COLOURS, "oX", strict=True):
        rows = [row for row, message in enumerate(messages) if message["X-Label"] == label]
        axes.plot([totals[row] for row in rows], rows, marker, color=colour, label=f"is {label}")
    axes.axvline(0, color="#666", linewidth=0.8)
    axes.set_yticks(range(len(messages)), [header(message, "Subject") for message in messages])
    axes.invert_yaxis()
    axes.set(xlabel="decibans for spam", title="new messages")
    axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, -0.33), ncols=2)


def _draw_weights(axes: Any, model: db.TextNB, message: Message) -> None:
    names, weights = zip(*model.explain(document_of(message), against="ham").weights(10), strict=True)
    axes.barh(range(len(names)), weights, color=[_COLOURS[weight > 0] for weight in weights])
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.axvline(0, color="#666", linewidth=0.8)
    axes.set(xlabel="decibans for spam", title=f"“{header(message, 'Subject')}”")


# The command ---------------------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    whole = argparse.ArgumentParser(description="A spam filter that learns from corrections.")
    whole.add_argument("--picture", type=Path, default=Path("spam_filter.svg"), help="where the demonstration draws")
    steps = whole.add_subparsers(dest="step", title="commands; without one, a demonstration")
    step = steps.add_parser("train", help="train a filter on mailboxes of ham and of spam")
    step.add_argument("filter", help="where to write the filter")
    for label in LABELS:
        step.add_argument(f"--{label}", nargs="+", required=True, metavar="MAILBOX", help=f"mailboxes of {label}")
    step = steps.add_parser("classify", help="print the label, the probability of spam and the subject of each message")
    step.add_argument("filter", help="a filter written by train")
    step.add_argument("mailbox", nargs="+", help="mbox files, folders or .eml files")
    step.add_argument("--explain", action="store_true", help="show the tokens with the largest weights, in decibans")
    step.add_argument("--learn", action="store_true", help="learn each message with its predicted label")
    step = steps.add_parser("correct", help="correct a label")
    step.add_argument("filter", help="a filter written by train")
    step.add_argument("mailbox", nargs="+", help="the misclassified messages")
    step.add_argument("--was", choices=LABELS, help="the label that they were learned with, if any")
    step.add_argument("--is", choices=LABELS, required=True, dest="label", help="the right label")
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 1 and print the reason if it fails."""
    given = parser().parse_args(arguments)
    try:
        if given.step is None:
            for line in demonstrate(given.picture):
                print(line)
        elif given.step == "train":
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
