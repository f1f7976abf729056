"""What registers hold of legal entities, and packages that identify who acts for them."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Any
from uuid import UUID

from .api import diligence as generated
from .api.diligence.api.identification_packages import (
    create_kyc_package,
    download_kyc_artifact,
    read_kyc_package,
)
from .api.diligence.models import CreateKycPackageRequest, KycOrder, KycStatus, SignatureTier
from .client import Client

if TYPE_CHECKING:
    from .answers import SignedAnswer


class DiligenceClient(Client):
    """The due-diligence API, with a key of a workspace.

    Questions are asked by `call` with an operation of `parafa.api.diligence.api.entities` or
    `real_property`. Each gets a key by which a repetition is not charged again.
    """

    def __init__(self, base_url: str, key: str, **options: Any) -> None:
        """Options are those of `Client`."""
        super().__init__(generated, base_url, f"Bearer {key}", **options)

    def ask_signed(
        self,
        question: ModuleType,
        subject: str,
        *,
        roots: Iterable[bytes],
        signer: str,
        sign: SignatureTier = SignatureTier.JADES_T,
        **members: Any,
    ) -> SignedAnswer:
        """An answer with the attorney's signature, which is verified: see `verify_answer`."""
        from .answers import verify_answer

        response = self.raw(question, subject, sign=sign, **members)
        return verify_answer(response.content, roots=roots, signer=signer)

    def order(self, request: CreateKycPackageRequest) -> KycOrder:
        """Orders an identification package. The answer has the address of the subject's page."""
        return self.call(create_kyc_package, body=request)

    def read_order(self, order_id: UUID) -> KycOrder:
        return self.call(read_kyc_package, order_id)

    def wait_for_order(self, order_id: UUID, timeout: float) -> KycOrder:
        """Reads until an order is delivered or has come to nothing: `status` tells.
        `TimeoutError` after as many seconds."""
        under_way = (KycStatus.AWAITING_SUBJECT, KycStatus.VERIFYING)
        return self._poll(
            lambda _: self.read_order(order_id), lambda now: now.status not in under_way, timeout
        )

    def download_evidence(self, order_id: UUID) -> bytes:
        """A package's container."""
        return self._document(download_kyc_artifact, order_id)
