"""A client of Parafa's three APIs: signing, due diligence and authentication."""

from .authentication import AuthenticationClient, NotAuthenticated, digest_for_card
from .client import Client, DigestMismatch
from .diligence import DiligenceClient
from .problems import Fault, ProblemError
from .signings import SigningClient, document
from .webhooks import Delivery, WebhookError, verify_webhook

__all__ = [
    "AuthenticationClient",
    "Client",
    "Delivery",
    "DigestMismatch",
    "DiligenceClient",
    "Fault",
    "NotAuthenticated",
    "ProblemError",
    "SigningClient",
    "WebhookError",
    "digest_for_card",
    "document",
    "verify_webhook",
]
