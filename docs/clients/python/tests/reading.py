"""What was read, held against what came."""

from datetime import datetime


def same(one, other):
    """Whether two JSON values are the same, however their times are written."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if one != other and isinstance(one, str) and isinstance(other, str):
        return datetime.fromisoformat(one) == datetime.fromisoformat(other)
    return one == other
