"""The package that openapi-python-client has made: its models and operations."""

import importlib
import sys
from datetime import datetime
from pathlib import Path


class Package:
    def __init__(self, folder, base_url, key, prefix="Bearer"):
        sys.path.insert(0, folder)
        names = [path.name for path in Path(folder).iterdir() if (path / "client.py").is_file()]
        [self.name] = names
        self.models = importlib.import_module(f"{self.name}.models")
        self.client = importlib.import_module(self.name).AuthenticatedClient(
            base_url=base_url, token=key, prefix=prefix, raise_on_unexpected_status=True
        )

    def call(self, operation, *arguments, **members):
        """What an operation, such as `signings.read_signing`, is answered."""
        module = importlib.import_module(f"{self.name}.api.{operation}")
        answer = module.sync_detailed(*arguments, client=self.client, **members)
        self.content = answer.content
        return answer.parsed


def same(one, other):
    """Whether two JSON values are the same, however their times are written."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if one != other and isinstance(one, str) and isinstance(other, str):
        return datetime.fromisoformat(one) == datetime.fromisoformat(other)
    return one == other
