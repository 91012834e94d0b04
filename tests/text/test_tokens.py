"""The scanner finds the tokens that its twin and scikit-learn find: otherwise vocabularies would differ from theirs."""

import re
import subprocess
import sys
import unicodedata

import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from uniseg.emoji import extended_pictographic

from deciban.errors import InputTypeError
from deciban.text import TokenRules, tokenize, unicode_version
from tests.reference import tokens as reference

pytestmark = pytest.mark.skipif(
    unicode_version() != unicodedata.unidata_version, reason="the core was built with another version of Unicode"
)

RULES = [
    TokenRules(),
    TokenRules(lowercase=False),
    TokenRules(shortest=1, longest=3, ngram_range=(1, 2)),
    TokenRules(strip_accents="unicode", ngram_range=(2, 3)),
    TokenRules(strip_accents="ascii", lowercase=False),
    TokenRules(analyzer="word_emoji"),
    TokenRules(analyzer="word_emoji", shortest=1, longest=3, strip_accents="unicode", ngram_range=(1, 2)),
    TokenRules(analyzer="word_punct"),
    TokenRules(analyzer="word_punct", strip_accents="unicode"),
    TokenRules(analyzer="char", ngram_range=(1, 3)),
    TokenRules(analyzer="char", strip_accents="ascii", ngram_range=(2, 2)),
    TokenRules(analyzer="char_wb", ngram_range=(2, 5)),
    TokenRules(analyzer="char_wb", strip_accents="unicode", lowercase=False, ngram_range=(5, 7)),
]
SETS = ["sms_spam", "20newsgroups", "imdb", "reuters_r52", "lingspam", "language_sentences"]

# Letters that lower-case or decompose in their own ways, spaces, marks, and what ends a block of the fast path.
EMOJI = "👍❤☺©🇩🇪🏴\ufe0f\u200d\u20e3🏽\U000e0067\U000e007f1a é\n"
ODD = "ΣσςAa'’.:_ \t\n\x1c\x85\u00a0\u0130\u0307\u0301éÅﷺ½한ℂǅ\ud800\ufffd😀\u200d\u00ad\x00"
texts = st.one_of(
    st.text(st.characters(exclude_categories=[])),
    st.text(st.sampled_from(ODD), max_size=30),
    st.text(st.sampled_from(EMOJI), max_size=30),
    st.lists(st.sampled_from(["word", "Σ", "é", " ", "  ", "x" * 30, "x" * 70, "'", ", "]), max_size=40).map("".join),
)
bad_bytes = st.one_of(
    st.binary(),
    st.lists(st.sampled_from([b"a", b" ", b"\xce\xa3", b"\xe2\x82", b"\xed\xa0\x80", b"\xf0\x9f", b"\xff", b"\xf4"]))
    .map(b"".join),
)  # fmt: skip


def check(documents, rules):
    for document, found in zip(documents, tokenize(documents, rules), strict=True):
        assert found == reference.tokenize(document, rules), (rules, document)


@pytest.mark.parametrize("rules", RULES, ids=repr)
@given(documents=st.lists(st.one_of(texts, bad_bytes), max_size=4))
@example(
    documents=["", " ", "a", "ab", "ΑΣ", "ΑΣ'", "ΑΣ'Α", b"\xce\xa3", "Σ", "x" * 64, "x" * 63 + "é", "ab" * 32 + " "]
)
@example(documents=["ﷺ" * 50, "a", "ﷺ" * 500, "." * 200, "\ud800\udc00", b"\xed\xa0\x80\xed\xb0\x80"])
def test_tokens_are_those_of_the_twin(rules, documents):
    check(documents, rules)


@pytest.mark.parametrize(
    ("rules", "context"),
    [
        (TokenRules(analyzer="word_emoji"), "{0}\n{0}{0}\n👍{0}👍\nab{0}cd\n🇩{0}🇪"),
        (RULES[7], "{0}\na{0}b\nAΣ{0}\nAΣ{0}B\n{0}Σ\n"),
        (TokenRules(strip_accents="unicode", shortest=1), "{0} a{0}b\n"),
    ],
    ids=["word_emoji", "word_punct", "strip_accents"],
)
def test_every_code_point_is_as_in_python(rules, context):
    for start in range(0, 0x110000, 4096):
        check(["".join(context.format(chr(code)) for code in range(start, start + 4096))], rules)


@pytest.mark.parametrize("name", SETS)
def test_tokens_of_real_text_are_those_of_scikit_learn(shared_data, name):
    documents = read(shared_data, name)[:: 3 if name == "imdb" else 1]
    analyze = CountVectorizer().build_analyzer()
    assert tokenize(documents) == [analyze(document) for document in documents]


@pytest.mark.parametrize(
    ("rules", "settings"),
    [
        (TokenRules(ngram_range=(1, 3), strip_accents="unicode"), {"ngram_range": (1, 3), "strip_accents": "unicode"}),
        (TokenRules(lowercase=False, strip_accents="ascii"), {"lowercase": False, "strip_accents": "ascii"}),
        (TokenRules(analyzer="char", ngram_range=(1, 3)), {"analyzer": "char", "ngram_range": (1, 3)}),
        (TokenRules(analyzer="char_wb", ngram_range=(2, 5)), {"analyzer": "char_wb", "ngram_range": (2, 5)}),
        (TokenRules(analyzer="word_punct"), {"token_pattern": r"\w+|[^\w\s]"}),
        (TokenRules(shortest=1), {"token_pattern": r"(?u)\b\w+\b"}),
    ],
    ids=lambda x: repr(x) if isinstance(x, TokenRules) else "",
)
@pytest.mark.parametrize("name", ["sms_spam", "language_sentences"])
def test_other_analyzers_are_those_of_scikit_learn(shared_data, name, rules, settings):
    documents = read(shared_data, name)[::20]
    analyze = CountVectorizer(**settings).build_analyzer()
    assert tokenize(documents, rules) == [analyze(document) for document in documents]


def read(shared_data, name):
    return pq.read_table(shared_data / "text" / f"{name}.parquet")["text"].to_pylist()


LONG = """
from deciban.text import TokenRules, tokenize
for piece in ["x", "é", "Σ'", "'", "\\u0301", " ", "a:", b"\\xe2\\x82", "ﷺ"]:
    print(ascii(piece), flush=True)
    tokenize([piece * 300_000], TokenRules(analyzer="{analyzer}", strip_accents="unicode"))
print("done")
"""


@pytest.mark.parametrize("analyzer", ["word", "word_punct", "unicode_word", "char"])
def test_long_documents_of_one_piece_come_to_an_end(analyzer):
    """They take a second; in quadratic time each would take minutes, and the process would be killed."""
    command = [sys.executable, "-X", "utf8", "-c", LONG.format(analyzer=analyzer)]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8", timeout=240)
    assert done.stdout.splitlines()[-1] == "done"


def test_a_token_may_be_ten_megabytes():
    assert tokenize(["A" * 10_000_000])[0] == ["a" * 10_000_000]


def test_what_is_no_document_is_named():
    with pytest.raises(InputTypeError, match=r"not one str. Pass \[document\]"):
        tokenize("one")
    with pytest.raises(InputTypeError, match="document 1 is NoneType"):
        tokenize(["one", None])


def test_composed_and_decomposed_accents_are_the_same_only_without_accents():
    """As docs/known-limits.md says, and as in scikit-learn."""
    documents = [unicodedata.normalize(form, "café résumé") for form in ("NFC", "NFD")]
    composed, decomposed = tokenize(documents)
    assert composed != decomposed == CountVectorizer().build_analyzer()(documents[1])
    composed, decomposed = tokenize(documents, TokenRules(strip_accents="unicode"))
    assert composed == decomposed == ["cafe", "resume"]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("Great 👍👍🏽 job❤️!", ["great", "👍", "👍🏽", "job", "❤️"]),
        ("👨‍👩‍👧‍👦 in 🇩🇪🇫🇷 🏴󠁧󠁢󠁳󠁣󠁴󠁿", ["👨‍👩‍👧‍👦", "in", "🇩🇪", "🇫🇷", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"]),
        ("so☺ok☺so", ["so", "☺", "ok", "☺", "so"]),
        ("🇩 👍\u200d x" + "a" * 70 + "😀" + "b" * 70, ["👍", "x" + "a" * 70, "😀", "b" * 70]),
    ],
)
def test_an_emoji_is_a_token_with_all_that_is_joined_to_it(document, expected):
    assert tokenize([document, document.encode()], TokenRules(analyzer="word_emoji")) == [expected] * 2


def test_emoji_are_those_of_unicode():
    """By another implementation's table; letters are parts of words."""
    characters = [c for c in map(chr, range(0x110000)) if not c.isalnum()]
    found = tokenize(characters, TokenRules(analyzer="word_emoji", lowercase=False))
    assert [c for c, tokens in zip(characters, found, strict=True) if tokens] == [
        c for c in characters if extended_pictographic(c)
    ]


@pytest.mark.parametrize("name", SETS)
def test_words_with_emoji_are_scikit_learns_words_where_there_are_no_emoji(shared_data, name):
    documents = read(shared_data, name)[:: 30 if name == "imdb" else 10]
    emoji = re.compile("[©®™\u203c-\u3299\U0001f000-\U0001ffff]")
    plain = [document for document in documents if not emoji.search(document)]
    assert tokenize(plain, TokenRules(analyzer="word_emoji")) == tokenize(plain)
