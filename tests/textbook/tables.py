"""The tables of the notes."""

MUKUND = {  # Mukund, lecture 15
    "A": list("mmghggghhm"),
    "B": list("bsqsqqsbqb"),
    "C": list("tttttfffff"),
}

TENNIS = {  # Mitchell, table 3.2
    "Outlook": "sunny sunny overcast rain rain rain overcast sunny sunny rain sunny overcast overcast rain".split(),
    "Temperature": "hot hot hot mild cool cool cool mild cool mild mild mild hot mild".split(),
    "Humidity": "high high high high normal normal normal high normal normal normal high normal high".split(),
    "Wind": "weak strong weak weak weak strong strong weak weak weak strong strong weak strong".split(),
    "PlayTennis": "no no yes yes yes no yes no yes yes yes yes yes no".split(),
}


def rows_of(table: dict[str, list[str]], target: str) -> tuple[list[list[str]], list[str]]:
    columns = [column for name, column in table.items() if name != target]
    return [list(row) for row in zip(*columns, strict=True)], table[target]
