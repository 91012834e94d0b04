"""The scanner finds the tokens that its twin and scikit-learn find: otherwise vocabularies would differ from theirs."""

import subprocess
import sys
import unicodedata

import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from deciban.errors import InputTypeError
from deciban.text import TokenRules, tokenize, unicode_version
from deciban.twins import tokens as reference

pytestmark = pytest.mark.skipif(
    unicode_version() != unicodedata.unidata_version, reason="the core was built with another version of Unicode"
)

RULES = [
    TokenRules(),
    TokenRules(lowercase=False),
    TokenRules(shortest=1, longest=3, ngram_range=(1, 2)),
    TokenRules(strip_accents="unicode", ngram_range=(2, 3)),
    TokenRules(strip_accents="ascii", lowercase=False),
    TokenRules(analyzer="word_punct"),
    TokenRules(analyzer="word_punct", strip_accents="unicode"),
    TokenRules(analyzer="char", ngram_range=(1, 3)),
    TokenRules(analyzer="char", strip_accents="ascii", ngram_range=(2, 2)),
    TokenRules(analyzer="char_wb", ngram_range=(2, 5)),
    TokenRules(analyzer="char_wb", strip_accents="unicode", lowercase=False, ngram_range=(5, 7)),
]
SETS = ["sms_spam", "20newsgroups", "imdb", "reuters_r52", "lingspam", "language_sentences"]

# Letters that lower-case or decompose in their own ways, spaces, marks, and what ends a block of the fast path.
ODD = "ΣσςAa'’.:_ \t\n\x1c\x85\u00a0\u0130\u0307\u0301éÅﷺ½한ℂǅ\ud800\ufffd😀\u200d\u00ad\x00"
texts = st.one_of(
    st.text(st.characters(exclude_categories=[])),
    st.text(st.sampled_from(ODD), max_size=30),
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
    [(RULES[5], "{0}\na{0}b\nAΣ{0}\nAΣ{0}B\n{0}Σ\n"), (TokenRules(strip_accents="unicode", shortest=1), "{0} a{0}b\n")],
    ids=["word_punct", "strip_accents"],
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
