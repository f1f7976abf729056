"""Persons who authenticate with their eID."""

from __future__ import annotations

import base64
import hashlib
from typing import Any
from uuid import UUID

from .api import authentication as generated
from .api.authentication.api.providers import (
    cancel_authentication,
    create_authentication,
    read_authentication,
)
from .api.authentication.models import (
    Authentication,
    AuthenticationStatus,
    CreateAuthenticationRequest,
    CreatedAuthentication,
)
from .client import Client

LONGEST_WAIT = 30.0
"""For how many seconds one reading may wait at the service."""


class NotAuthenticated(Exception):
    """A request ended, and nobody has authenticated by it."""

    def __init__(self, ended: Authentication) -> None:
        self.ended = ended
        why = f" ({ended.error.code}: {ended.error.message})" if ended.error else ""
        super().__init__(f"the request is {ended.status}{why}")


class AuthenticationClient(Client):
    """The authentication API, with the key of a provider. A key is for backends, not for pages."""

    def __init__(self, base_url: str, key_id: str, key_secret: str, **options: Any) -> None:
        """Options are those of `Client`."""
        credentials = base64.b64encode(f"{key_id}:{key_secret}".encode()).decode()
        super().__init__(generated, base_url, f"Basic {credentials}", **options)

    def start(self, request: CreateAuthenticationRequest) -> CreatedAuthentication:
        """Begins a request. Keep its id in the session of the browser that it is for: nobody is to
        be let in by a request that another browser began."""
        return self.call(create_authentication, body=request)

    def read(self, request_id: UUID, wait_ms: int = 0) -> Authentication:
        """The status of a request. For the code of a device link, read each second and show the
        latest: `wait_ms=1000`."""
        return self.call(read_authentication, request_id, wait_ms=wait_ms)

    def wait(self, request_id: UUID, timeout: float) -> Authentication:
        """Waits until the person has authenticated: `cert.subject` is who. `NotAuthenticated`
        where the request ends otherwise, `TimeoutError` after as many seconds."""
        status = AuthenticationStatus
        under_way = (status.PENDING, status.CERTIFICATE_RECEIVED, status.IN_PROGRESS)
        ended = self._poll(
            lambda left: self.read(request_id, wait_ms=int(1000 * min(left, LONGEST_WAIT))),
            lambda now: now.status not in under_way,
            timeout,
            pause=0.0,
        )
        if ended.status != status.COMPLETED or not ended.cert:
            raise NotAuthenticated(ended)
        return ended

    def cancel(self, request_id: UUID) -> None:
        self.call(cancel_authentication, request_id)


def digest_for_card(dtbs: str) -> bytes:
    """What a card signs: the SHA-256 of the data to be signed, hashed once, whatever the key's
    curve. It goes to a function of the card that takes a digest; one that hashes gets the data."""
    return hashlib.sha256(base64.b64decode(dtbs, validate=True)).digest()
