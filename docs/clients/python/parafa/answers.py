"""Signed answers of the due-diligence API. Needs the extra `verify`."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils
from cryptography.hazmat.primitives.hashes import SHA256, SHA384

HASHES = {"RS256": SHA256(), "ES256": SHA256(), "ES384": SHA384()}
NOT_UNDERSTOOD = {"crit", "b64", "sigD"}
"""Members of the protected header that would have something else signed than what is inside."""


class SignatureError(Exception):
    """A signed answer does not hold."""


@dataclass(frozen=True)
class SignedAnswer:
    """An answer whose signature holds."""

    answer: dict[str, Any]
    """As it would have come unsigned, with `attestation`."""
    document: bytes
    """What came, to be kept as evidence: signature, time-stamp and certificates are in it."""


def verify_answer(
    document: bytes, *, roots: Iterable[bytes], signer: str, at: datetime | None = None
) -> SignedAnswer:
    """Verifies that one person signed an answer, by a certificate that leads to a root.

    `roots` are certificates in PEM, one or several in each; `signer` is the attorney's identifier
    (serialNumber of the certificate's subject, such as `PNOLT-37506150439`): under a root many
    people have certificates. `at` is when the certificates have to be valid, now unless given.
    Neither revocation nor the time-stamp is looked at: a validator for JAdES does that.
    """
    try:
        jws = json.loads(document)
        header = json.loads(_base64url(jws["protected"]))
        held = [base64.b64decode(text, validate=True) for text in header["x5c"]]
        chain = [x509.load_der_x509_certificate(der) for der in held]
        payload, value = _base64url(jws["payload"]), _base64url(jws["signature"])
        is_named = _base64url(header["x5t#S256"]) == hashlib.sha256(held[0]).digest()
        algorithm, hash_ = header["alg"], HASHES[header["alg"]]
        key = chain[0].public_key()
    except (AttributeError, LookupError, TypeError, UnsupportedAlgorithm, ValueError) as error:
        raise SignatureError(f"it is no signed answer: {error!r}") from error
    _hold(NOT_UNDERSTOOD.isdisjoint(header), "its header changes what is signed")
    _hold(is_named, "it names another certificate than it holds")
    # `verify` hashes by itself, so it gets the input. Given the digest, it would hash a second time
    # and refuse a sound signature.
    signed = f"{jws['protected']}.{jws['payload']}".encode()
    try:
        if algorithm == "RS256" and isinstance(key, rsa.RSAPublicKey):
            key.verify(value, signed, padding.PKCS1v15(), hash_)
        elif algorithm != "RS256" and isinstance(key, ec.EllipticCurvePublicKey):
            half = len(value) // 2
            numbers = int.from_bytes(value[:half]), int.from_bytes(value[half:])
            key.verify(utils.encode_dss_signature(*numbers), signed, ec.ECDSA(hash_))
        else:
            raise SignatureError(f"{algorithm} is no algorithm for its key")
    except InvalidSignature:
        raise SignatureError("the signature is not over this answer") from None
    subject = chain[0].subject
    identifiers = subject.get_attributes_for_oid(x509.NameOID.SERIAL_NUMBER)
    is_theirs = [identifier.value for identifier in identifiers] == [signer]
    _hold(is_theirs, f"it is signed by {subject.rfc4514_string()}")
    # Whoever authenticates signs too, whatever is put before them, by another certificate.
    _hold(_says(chain[0], x509.KeyUsage, "content_commitment"), "its key is not for signatures")
    anchors = [root for pem in roots for root in x509.load_pem_x509_certificates(pem)]
    _check_path(chain, anchors, at or datetime.now(UTC))
    return SignedAnswer(json.loads(payload), document)


def _check_path(chain: list[x509.Certificate], anchors: list[x509.Certificate], at: datetime) -> None:
    """Holds that each certificate is issued by the next, and the last by an anchor."""
    for place, certificate in enumerate(chain):
        name = certificate.subject.rfc4514_string()
        is_valid = certificate.not_valid_before_utc <= at <= certificate.not_valid_after_utc
        _hold(is_valid, f"{name} is not valid at {at}")
        is_authority = place == 0 or _says(certificate, x509.BasicConstraints, "ca")
        _hold(is_authority, f"{name} is no authority")
        issuers = chain[place + 1 : place + 2] or anchors
        is_issued = any(_issued(issuer, certificate) for issuer in issuers)
        _hold(is_issued, f"{certificate.issuer.rfc4514_string()} is not trusted")


def _says(certificate: x509.Certificate, extension: type[Any], member: str) -> bool:
    try:
        return getattr(certificate.extensions.get_extension_for_class(extension).value, member)
    except (x509.DuplicateExtension, x509.ExtensionNotFound, ValueError):
        return False


def _issued(issuer: x509.Certificate, certificate: x509.Certificate) -> bool:
    try:
        certificate.verify_directly_issued_by(issuer)
    except (InvalidSignature, TypeError, UnsupportedAlgorithm, ValueError):
        return False
    return True


def _hold(holds: bool, otherwise: str) -> None:
    if not holds:
        raise SignatureError(otherwise)


def _base64url(text: str) -> bytes:
    """What a text in base64url without padding stands for."""
    value = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if base64.urlsafe_b64encode(value).decode().rstrip("=") != text:
        raise ValueError("it is no base64url")
    return value
