"""Webhooks: whether a delivery comes from the service."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


class WebhookError(Exception):
    """A delivery is not to be believed. Answer 400, and do nothing of what it says."""


@dataclass(frozen=True)
class Delivery:
    """A delivery whose signature holds."""

    id: str
    """The event's id, the same on every attempt: whoever keeps it knows a repetition."""
    timestamp: int
    """When this attempt was made, in Unix time."""
    event: dict[str, Any]
    """What is told: `SigningEvent.from_dict` and `KycEvent.from_dict` read it, but for
    `webhook.test`."""


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    tolerance: float = 300.0,
    now: float | None = None,
) -> Delivery:
    """Verifies `webhook-signature` over a body as it came (see https://www.standardwebhooks.com).

    While a secret is rotated give both, the new and the old one. `tolerance` is how many seconds
    the time of a delivery may be off `now`, in Unix time, which is the clock's unless given.
    """
    keys = [_key(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise ValueError("there is no secret to verify with")
    fields = {name.lower(): value for name, value in headers.items()}
    try:
        identifier, timestamp = fields["webhook-id"], fields["webhook-timestamp"]
        signatures = fields["webhook-signature"].encode(errors="replace").split(b" ")
    except KeyError as missing:
        raise WebhookError(f"it has no {missing.args[0]}") from None
    signed = f"{identifier}.{timestamp}.".encode(errors="replace") + body
    holds = False
    for key in keys:
        expected = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
        for signature in signatures:
            holds |= hmac.compare_digest(expected, signature)
    if not holds:
        raise WebhookError("it is signed with no secret of these")
    # Signed by the service, it is a number.
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise WebhookError("it was sent too long ago, or will be")
    return Delivery(identifier, int(timestamp), json.loads(body))


def _key(secret: str) -> bytes:
    prefix, _, text = secret.partition("_")
    try:
        key = base64.b64decode(text, validate=True)
    except ValueError:
        key = b""
    if prefix != "whsec" or not key:
        # Nothing of it is told: it may be a sound one of something else.
        raise ValueError("a secret is whsec_ and base64")
    return key
