"""Bodies: JSON in one piece or in many, JSON Lines in pieces that end anywhere."""

import asyncio

import pytest
from starlette.requests import ClientDisconnect, Request

from deciban.serve.limits import Limits, Problem, read_json, read_lines


def request_of(*pieces, is_whole=True):
    messages = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    messages.append({"type": "http.request", "body": b""} if is_whole else {"type": "http.disconnect"})

    async def receive():
        return messages.pop(0)

    return Request({"type": "http", "headers": []}, receive)


def json_of(*pieces, **options):
    return asyncio.run(read_json(request_of(*pieces), Limits(**options)))


def lines_of(*pieces, **options):
    async def collect():
        return [line async for block in read_lines(request_of(*pieces), Limits(**options)) for line in block]

    return asyncio.run(collect())


def test_json_may_come_in_pieces():
    assert json_of(b'{"sky": "s', b'un"}') == {"sky": "sun"}


@pytest.mark.parametrize(
    "text",
    [b"", b"  ", b"{", b"NaN", b"[Infinity]", b"1e400", b'"\xff"', b'"\xed\xa0\x80"', b"[" * 5000, b"{}{}", b"\x00"],
    ids=repr,
)
def test_what_is_not_json_is_refused(text):
    with pytest.raises(Problem) as caught:
        json_of(text)
    assert caught.value.status == 400 and "JSON" in caught.value.detail


def test_a_client_that_is_gone_is_no_empty_body():
    with pytest.raises(ClientDisconnect):
        asyncio.run(read_json(request_of(b"{}", is_whole=False), Limits()))


def test_lines_do_not_depend_on_where_pieces_end():
    text = b'{"a": 1}\n\n{"b": 22}\r\n  \n{"c": 3}'
    expected = [b'{"a": 1}', b'{"b": 22}\r', b'{"c": 3}']
    for size in range(1, len(text) + 1):
        assert lines_of(*(text[i : i + size] for i in range(0, len(text), size))) == expected


def test_a_line_above_the_limit_is_refused_before_its_end():
    with pytest.raises(Problem, match="larger than 10 bytes"):
        lines_of(b"x" * 8, b"x" * 8, body=10)
    assert lines_of(*[b"12345\n"] * 100, body=10) == [b"12345"] * 100
