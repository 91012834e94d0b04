"""The example filter: it reads any mail, decides, and after a correction is as if it had never erred."""

import mailbox
import subprocess
import sys
from email.message import EmailMessage
from pathlib import Path

import pytest

import deciban as db
from examples.spam_filter import run as spam_filter

HAM = ["Lunch at noon?", "The meeting moved to Tuesday", "Your notes are in the shared folder", "See you at lunch"]
SPAM = ["Win a free prize now", "Free money, call now", "You won a prize, click now", "Cheap pills, free delivery"]


def message(text, subject="hello", sender="Ann <ann@example.org>", html=None):
    made = EmailMessage()
    made["Subject"], made["From"] = subject, sender
    made.set_content(text)
    if html is not None:
        made.add_alternative(html, subtype="html")
    return made


def box(path, messages):
    held = mailbox.mbox(path)
    for each in messages:
        held.add(each)
    held.close()
    return str(path)


@pytest.fixture
def boxes(tmp_path):
    ham = box(tmp_path / "ham.mbox", [message(text) for text in HAM])
    spam = box(tmp_path / "spam.mbox", [message(text, "Offer", "Shop <win@shop.test>") for text in SPAM])
    return ham, spam


@pytest.fixture
def trained(boxes, tmp_path):
    path = str(tmp_path / "filter.deciban")
    assert spam_filter.main(["train", path, "--ham", boxes[0], "--spam", boxes[1]]) == 0
    return path


def test_train_and_classify(trained, tmp_path, capsys):
    capsys.readouterr()
    new = box(
        tmp_path / "new.mbox", [message("lunch on Tuesday?", "Food"), message("free prize", "Offer 2", "bob@b.test")]
    )
    assert spam_filter.main(["classify", trained, new, "--explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[::2]] == ["ham", "spam"]
    assert lines[0].endswith("Food") and "prior" in lines[1] and "total" in lines[1]


def test_a_corrected_filter_is_one_that_never_erred(trained, boxes, tmp_path):
    odd = box(tmp_path / "odd.mbox", [message("Are you free for lunch?", "Offer", "Shop <win@shop.test>")])
    assert spam_filter.main(["classify", trained, odd, "--learn"]) == 0
    assert db.load(trained).tally_.class_counts.tolist() == [4, 5]
    assert spam_filter.main(["correct", trained, odd, "--was", "spam", "--is", "ham"]) == 0
    right = str(tmp_path / "right.deciban")
    spam_filter.main(["train", right, "--ham", boxes[0], odd, "--spam", boxes[1]])
    assert db.load(trained).tally_ == db.load(right).tally_


def test_a_message_that_was_never_learned_is_only_learned(trained, tmp_path, capsys):
    odd = box(tmp_path / "odd.mbox", [message("an invoice, perhaps")])
    assert spam_filter.main(["correct", trained, odd, "--was", "ham", "--is", "spam"]) == 1
    assert "not learned as ham" in capsys.readouterr().err
    assert db.load(trained).tally_.class_counts.tolist() == [4, 4]
    assert spam_filter.main(["correct", trained, odd, "--is", "spam"]) == 0
    assert db.load(trained).tally_.class_counts.tolist() == [4, 5]


def test_folders_and_single_messages_are_read(trained, tmp_path, capsys):
    for folder in ("plain", "maildir/new", "maildir/cur", "maildir/tmp"):
        (tmp_path / folder).mkdir(parents=True)
    texts = {"plain/1.eml": "lunch", "plain/.hidden": "x", "maildir/new/b": "free prize", "maildir/cur/a": "lunch"}
    for name, text in texts.items():
        (tmp_path / name).write_bytes(message(text, name).as_bytes())
    capsys.readouterr()
    boxes = [str(tmp_path / name) for name in ("plain", "maildir", "plain/1.eml")]
    assert spam_filter.main(["classify", trained, *boxes]) == 0
    subjects = [line.split()[-1] for line in capsys.readouterr().out.splitlines()]
    assert subjects == ["plain/1.eml", "maildir/cur/a", "maildir/new/b", "plain/1.eml"]


def test_subject_and_sender_are_tokens_of_their_own():
    document = spam_filter.document_of(message("free", "Free café", "Bob Bee <bob@shop.test>"))
    first = document.splitlines()[0].split()
    assert first == ["subject_Free", "subject_café", "from_Bob", "from_Bee", "from_bob_shop_test", "from_shop_test"]


def test_html_is_read_without_its_tags():
    html = "<html><head><title>t</title><style>p {x}</style></head><p>Hello&nbsp;&lt;you&gt; <a href='http://a.test'>x"
    document = spam_filter.document_of(message("plain", html=html))
    assert "Hello" in document and "<you>" in document and "http://a.test" in document
    assert "style" not in document and "{x}" not in document and "<p>" not in document


MALFORMED = {
    "unknown charset": b"From: a@b.test\nContent-Type: text/plain; charset=x-no-such\n\nfree prize \xff\xfe\n",
    "a lie about the charset": b"From: a@b.test\nContent-Type: text/plain; charset=utf-8\n\nfree \xe9\xff prize\n",
    "a codec that is not of text": b"Content-Type: text/plain; charset=hex\n\nfree prize\n",
    "bad base64": b"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n!free prize!\n",
    "bad quoted-printable": b"Content-Transfer-Encoding: quoted-printable\n\nfree=ZZ=\nprize =\n",
    "no boundary": b"Content-Type: multipart/mixed\n\n--x\n\nfree prize\n",
    "boundary never closed": b"Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/html\n\n<p free",
    "bad encoded words": b"Subject: =?x-no-such?b?ZnJlZQ==?= =?utf-8?b?!!?=\nFrom: =?utf-8?b?\n\nfree\n",
    "bytes in headers": b"Subject: fr\xe9e \xff\nFrom: \xff\xfe <\xff@b>\n\nfree prize\n",
    "no headers": b"\nfree prize\n",
    "nothing": b"\n",
    "uuencode": b"Content-Transfer-Encoding: x-uuencode\n\nbegin 644 a\nnonsense\n",
    "bad html": b"Content-Type: text/html\n\n<![if free]> <!DOCTYPE <![CDATA[ <p <<b>> &#xFFFFFFFF; prize </script>\n",
    "an image": b"Content-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n",
    "NUL": b"Subject: a\x00b\n\nfree \x00 prize\n",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_mail_is_still_read(name, trained, tmp_path, capsys):
    path = tmp_path / "bad.mbox"
    path.write_bytes(b"From nobody Mon Jan  1 00:00:00 2024\n" + MALFORMED[name] + b"\n")
    capsys.readouterr()
    assert spam_filter.main(["classify", trained, str(path), "--explain", "--learn"]) == 0
    found = capsys.readouterr()
    assert found.out.split()[0] in ("ham", "spam") and not found.err
    if b"prize" in MALFORMED[name] and name not in ("bad base64", "boundary never closed", "bad html"):
        (held,) = spam_filter.read_mailbox(str(path))
        assert "prize" in spam_filter.document_of(held)


def test_a_subject_cannot_steer_the_terminal(trained, tmp_path, capsys):
    path = tmp_path / "bad.mbox"
    path.write_bytes(b"From a Mon Jan  1 00:00:00 2024\nSubject: \x1b[2Jgone =?utf-8?q?=1B[31m?=\n\nfree \x1b[2J\n")
    assert spam_filter.main(["classify", trained, str(path), "--explain"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_mistakes_get_one_clear_line(trained, boxes, tmp_path, capsys):
    empty, none = tmp_path / "empty.mbox", str(tmp_path / "none")
    empty.write_bytes(b"no mailbox\n")
    other = str(tmp_path / "other.deciban")
    db.save(db.GaussianNB().fit([[0.0], [1.0]], [0, 1]), other)
    for arguments, reason in [
        (["classify", none, boxes[0]], "there is no filter"),
        (["classify", trained, none], "there is no mailbox"),
        (["classify", trained, str(empty)], "holds no message"),
        (["classify", other, boxes[0]], "not a spam filter"),
        (["classify", boxes[0], boxes[0]], "not a deciban file"),
        (["train", str(tmp_path / "no" / "where"), "--ham", boxes[0], "--spam", boxes[1]], "there is no folder"),
    ]:
        assert spam_filter.main(arguments) == 1
        error = capsys.readouterr().err
        assert reason in error and error.count("\n") == 1


def test_it_runs_as_a_command(boxes, tmp_path):
    root = Path(spam_filter.__file__).parents[2]
    command = [sys.executable, "-W", "error", "examples/spam_filter/run.py", "train", str(tmp_path / "f")]
    done = subprocess.run([*command, "--ham", boxes[0], "--spam", boxes[1]], cwd=root, capture_output=True, check=True)
    assert b"learned 4 ham, 4 spam" in done.stdout
