"""Documents that people sign."""

from __future__ import annotations

import base64
import os
import uuid
from pathlib import Path
from typing import Any

from .api import signing as generated
from .api.signing.api.signings import create_signing, download_document, read_signing
from .api.signing.models import CreateSigningRequest, DocumentRequest, Signing, SigningStatus
from .client import Client


class SigningClient(Client):
    """The signing API, with a key of a workspace."""

    def __init__(self, base_url: str, key: str, **options: Any) -> None:
        """Options are those of `Client`."""
        super().__init__(generated, base_url, f"Bearer {key}", **options)

    def create(self, request: CreateSigningRequest, idempotency_key: str | None = None) -> Signing:
        """Asks people to sign. The answer has the address of each signer's page.

        A key of your own, kept with what the signing is for, lets a program that was restarted ask
        again without asking twice.
        """
        key = idempotency_key or str(uuid.uuid4())
        return self.call(create_signing, body=request, idempotency_key=key)

    def read(self, signing_id: uuid.UUID) -> Signing:
        return self.call(read_signing, signing_id)

    def wait(self, signing_id: uuid.UUID, timeout: float) -> Signing:
        """Reads until nobody can sign any more, whether all have signed or not: `status` tells.
        `TimeoutError` after as many seconds. A webhook tells sooner, and costs no requests."""
        pending = SigningStatus.PENDING
        return self._poll(
            lambda _: self.read(signing_id), lambda now: now.status != pending, timeout
        )

    def download(self, signing_id: uuid.UUID) -> bytes:
        """The newest signed document."""
        return self._document(download_document, signing_id)


def document(path: str | os.PathLike[str]) -> DocumentRequest:
    """A file as a document to be signed."""
    path = Path(path)
    content = base64.b64encode(path.read_bytes()).decode()
    return DocumentRequest(name=path.name, content=content)
