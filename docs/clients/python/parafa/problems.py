"""What the APIs refuse, as exceptions."""

from __future__ import annotations

import email.utils
import json
import time
from dataclasses import dataclass
from typing import Any

import httpx


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a request."""

    pointer: str
    """Where: a JSON Pointer (RFC 6901) into the body or the query."""
    detail: str
    """What is wrong there."""


class ProblemError(Exception):
    """A refusal: a problem document (RFC 9457), or the error envelope of the authentication API."""

    type: str
    """The address of a page on this kind of problem."""
    name: str
    """The kind in short: the end of `type`, or `code` of the envelope."""
    title: str
    status: int
    detail: str
    errors: tuple[Fault, ...]
    """All faults of the request, in the order in which they stand there."""
    recovery_url: str | None
    """A page on which a person can settle what is due."""
    retry_after: float | None
    """Seconds after which trying again can help."""
    request_id: str | None
    """Ties the refusal to the service's log."""

    def __init__(self, response: httpx.Response) -> None:
        told = _object(response)
        # Only the authentication API has the envelope.
        envelope = told.get("error")
        if isinstance(envelope, dict):
            told = {"title": envelope.get("code"), "detail": envelope.get("message")}
        self.type = str(told.get("type", "about:blank"))
        self.title = str(told.get("title", response.reason_phrase))
        self.name = self.title if self.type == "about:blank" else self.type.rsplit("/", 1)[-1]
        self.status = response.status_code
        self.detail = str(told.get("detail", response.text[:200]))
        faults = told.get("errors", ())
        self.errors = tuple(Fault(fault["pointer"], fault["detail"]) for fault in faults)
        self.recovery_url = told.get("recoveryUrl")
        self.retry_after = _seconds(response.headers.get("Retry-After"))
        self.request_id = response.headers.get("X-Request-Id")
        every = "".join(f"; {fault.pointer}: {fault.detail}" for fault in self.errors)
        super().__init__(f"{self.status} {self.name}: {self.detail}{every}")


def _object(response: httpx.Response) -> dict[str, Any]:
    """The members of a JSON object; none of what something between here and the service said."""
    try:
        told = response.json()
    except (json.JSONDecodeError, UnicodeDecodeError):
        return {}
    return told if isinstance(told, dict) else {}


def _seconds(retry_after: str | None) -> float | None:
    """What `Retry-After` says, in seconds or as a date (RFC 9110, 10.2.3)."""
    if retry_after is None:
        return None
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return None
