"""What the APIs refuse, as exceptions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx


@dataclass(frozen=True)
class Fault:
    """A fault of a request."""

    pointer: str
    """Where: a JSON Pointer (RFC 6901) into the body or the query."""
    detail: str
    """What is wrong there."""


class ProblemError(Exception):
    """A refusal: a problem document (RFC 9457), or the error envelope of the authentication API."""

    def __init__(self, response: httpx.Response) -> None:
        told = _members(response)
        # Only the authentication API has the envelope.
        envelope = told.get("error")
        if isinstance(envelope, dict):
            told = {"title": envelope.get("code"), "detail": envelope.get("message")}
        self.status = response.status_code
        self.type = str(told.get("type") or "about:blank")
        """The address of a page on this kind of problem."""
        self.title = str(told.get("title") or response.reason_phrase)
        self.name = self.title if self.type == "about:blank" else self.type.rsplit("/", 1)[-1]
        """The kind in short: the end of `type`, or `code` of the envelope."""
        self.detail = str(told.get("detail") or response.text[:200])
        self.errors = tuple(_faults(told.get("errors")))
        """All faults of the request, in the order of the request."""
        self.recovery_url: str | None = told.get("recoveryUrl")
        """A page on which a person can settle what is due."""
        after = response.headers.get("Retry-After", "")
        self.retry_after = float(after) if after.isascii() and after.isdigit() else None
        """Seconds to wait before trying again."""
        self.request_id: str | None = response.headers.get("X-Request-Id")
        """Ties the refusal to the service's log."""
        every = "".join(f"; {fault.pointer}: {fault.detail}" for fault in self.errors)
        super().__init__(f"{self.status} {self.name}: {self.detail}{every}")


def _members(response: httpx.Response) -> dict[str, Any]:
    """The members of a JSON object; none of what something between here and the service said."""
    try:
        told = response.json()
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _faults(told: Any) -> list[Fault]:
    try:
        return [Fault(fault["pointer"], fault["detail"]) for fault in told or ()]
    except (KeyError, TypeError):
        return []
