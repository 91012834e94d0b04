"""A target whose case takes more memory than is left: the runner must notice."""


def run(seconds: float, seed: int) -> int:
    return len(bytearray(1 << 30))
