"""What items and requests cost: the documented arithmetic, written again for the tests alone."""

from decimal import Decimal

KB = 1024
PAGE = 1024 * KB


def number_size(value):
    """One byte, and one for each started pair of significant digits (pairs aligned at the point)."""
    value = Decimal(value)
    if value == 0:
        return 1
    sign, digits, exponent = value.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    power = exponent + len(text) - 1  # of the first digit
    significant = text.rstrip("0")
    return 1 + (len(significant) + (power % 2 == 0) + 1) // 2 + sign


def value_size(value):
    if isinstance(value, bool) or value is None:
        return 1
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, bytes):
        return len(value)
    if isinstance(value, (int, Decimal)):
        return number_size(value)
    if isinstance(value, (set, frozenset)):
        return sum(map(value_size, value))
    if isinstance(value, list):
        return 3 + sum(1 + value_size(v) for v in value)
    return 3 + sum(len(name.encode()) + 1 + value_size(v) for name, v in value.items())


def item_size(row):
    """Billed bytes of a row of Python values."""
    return sum(len(name.encode()) + value_size(value) for name, value in row.items())


def write_units(*sizes):
    """The units of one write: of the larger one of the item before and the item after."""
    return max(1, -(-max(sizes) // KB))


def read_units(size, consistent=False):
    return max(1, -(-size // (4 * KB))) * (1 if consistent else 0.5)
