"""Which characters are emoji: Extended_Pictographic of Unicode 15.1 (emoji-data.txt), which Python's database lacks."""

from __future__ import annotations

__all__ = ["is_emoji", "is_emoji_part"]

# First and last code points; the ranges of symbols include code points that are reserved for later emoji.
_RANGES = """
a9 ae 203c 2049 2122 2139 2194-2199 21a9-21aa 231a-231b 2328 2388 23cf 23e9-23f3 23f8-23fa 24c2 25aa-25ab 25b6 25c0
25fb-25fe 2600-2605 2607-2612 2614-2685 2690-2705 2708-2712 2714 2716 271d 2721 2728 2733-2734 2744 2747 274c 274e
2753-2755 2757 2763-2767 2795-2797 27a1 27b0 27bf 2934-2935 2b05-2b07 2b1b-2b1c 2b50 2b55 3030 303d 3297 3299
1f000-1f0ff 1f10d-1f10f 1f12f 1f16c-1f171 1f17e-1f17f 1f18e 1f191-1f19a 1f1ad-1f1e5 1f201-1f20f 1f21a 1f22f
1f232-1f23a 1f23c-1f23f 1f249-1f3fa 1f400-1f53d 1f546-1f64f 1f680-1f6ff 1f774-1f77f 1f7d5-1f7ff 1f80c-1f80f
1f848-1f84f 1f85a-1f85f 1f888-1f88f 1f8ae-1f8ff 1f90c-1f93a 1f93c-1f945 1f947-1faff 1fc00-1fffd
"""
_EMOJI = {
    code
    for first, _, last in (part.partition("-") for part in _RANGES.split())
    for code in range(int(first, 16), int(last or first, 16) + 1)
}


def is_emoji(character: str) -> bool:
    """Whether a character is an emoji by itself; letters, such as the information sign, are part of words."""
    return ord(character) in _EMOJI and not character.isalnum()


def is_emoji_part(character: str) -> bool:
    """Whether it changes the emoji before it: emoji presentation, skin tones, and tags of flags."""
    return (
        character == "\ufe0f" or "\U0001f3fb" <= character <= "\U0001f3ff" or "\U000e0020" <= character <= "\U000e007f"
    )
