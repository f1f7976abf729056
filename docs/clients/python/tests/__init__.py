"""Tests of the client: `python -m unittest`, with what the README begins with in the folder."""

import json
from pathlib import Path
from typing import Any

VECTORS = json.loads((Path(__file__).parents[2] / "vectors.json").read_bytes())


def demo() -> dict[str, Any]:
    """What the demo wrote of itself."""
    return json.loads(Path("demo/demo.json").read_bytes())


class FakeClock:
    """Time that passes when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float, /) -> None:
        self.pauses.append(seconds)
        self.now += seconds
