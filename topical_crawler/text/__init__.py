def counted(number: int, noun: str) -> str:
    """Return a number of things in words.

    >>> counted(1, "page"), counted(1200, "page")
    ('1 page', '1,200 pages')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
