"""A target whose case takes half of the memory, which is fine."""


def run(seconds: float, seed: int) -> int:
    return len(bytearray(1 << 29))
