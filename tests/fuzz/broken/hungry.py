"""A target whose case takes more memory than is left, 1.25 GiB: the runner must notice."""


def run(seconds: float, seed: int) -> int:
    return len(bytearray(5 << 28))
