"""Signed answers of the due-diligence API. Needs the extra `verify`."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

ALGORITHMS = {"RS256": "sha256", "ES256": "sha256", "ES384": "sha384"}
NOT_UNDERSTOOD = ("crit", "b64", "sigD")
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
    from cryptography import x509

    try:
        jws = json.loads(document)
        header = json.loads(_base64url(jws["protected"]))
        chain = [base64.b64decode(text, validate=True) for text in header["x5c"]]
        certificates = [x509.load_der_x509_certificate(der) for der in chain]
        payload = _base64url(jws["payload"])
        value = _base64url(jws["signature"])
        named, algorithm = header["x5t#S256"], ALGORITHMS[header["alg"]]
        certificate = certificates[0]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise SignatureError(f"it is no signed answer: {error!r}") from error
    if any(member in header for member in NOT_UNDERSTOOD):
        raise SignatureError("its header has members that change what is signed")
    if _base64url(named) != hashlib.sha256(chain[0]).digest():
        raise SignatureError("it names another certificate than it holds")
    # The input is hashed here, once. What verifies is told that it gets a digest: a function that
    # hashes would hash a second time, and refuse a sound signature.
    signed = f"{jws['protected']}.{jws['payload']}".encode()
    digest = hashlib.new(algorithm, signed).digest()
    if not _is_signed(certificate.public_key(), header["alg"], digest, value):
        raise SignatureError("the signature is not over this answer")
    identifiers = certificate.subject.get_attributes_for_oid(x509.NameOID.SERIAL_NUMBER)
    if [identifier.value for identifier in identifiers] != [signer]:
        raise SignatureError(f"it is signed by {certificate.subject.rfc4514_string()}")
    anchors = [root for pem in roots for root in x509.load_pem_x509_certificates(pem)]
    _check_path(certificates, anchors, at or datetime.now(UTC))
    return SignedAnswer(json.loads(payload), document)


def _is_signed(key: Any, algorithm: str, digest: bytes, value: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils
    from cryptography.hazmat.primitives.hashes import SHA256, SHA384

    hashed = utils.Prehashed(SHA384() if algorithm == "ES384" else SHA256())
    try:
        if algorithm == "RS256" and isinstance(key, rsa.RSAPublicKey):
            key.verify(value, digest, padding.PKCS1v15(), hashed)
        elif algorithm != "RS256" and isinstance(key, ec.EllipticCurvePublicKey):
            half = len(value) // 2
            r, s = int.from_bytes(value[:half]), int.from_bytes(value[half:])
            key.verify(utils.encode_dss_signature(r, s), digest, ec.ECDSA(hashed))
        else:
            return False
    except InvalidSignature:
        return False
    return True


def _check_path(certificates: list[Any], roots: list[Any], at: datetime) -> None:
    """Holds that each certificate is issued by the next, and the last by a root."""
    from cryptography import x509

    for place, certificate in enumerate(certificates):
        if not certificate.not_valid_before_utc <= at <= certificate.not_valid_after_utc:
            raise SignatureError(f"{certificate.subject.rfc4514_string()} is not valid at {at}")
        if place > 0 and not _is_authority(certificate, x509):
            raise SignatureError(f"{certificate.subject.rfc4514_string()} is no authority")
        issuers = certificates[place + 1 : place + 2] or roots
        if not any(_issued(issuer, certificate) for issuer in issuers):
            raise SignatureError(f"{certificate.issuer.rfc4514_string()} is not trusted")


def _is_authority(certificate: Any, x509: Any) -> bool:
    try:
        return certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except x509.ExtensionNotFound:
        return False


def _issued(issuer: Any, certificate: Any) -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        certificate.verify_directly_issued_by(issuer)
    except (InvalidSignature, ValueError, TypeError):
        return False
    return True


def _base64url(text: str) -> bytes:
    """What a text in base64url without padding stands for."""
    if not text.isascii() or "=" in text or "+" in text or "/" in text:
        raise binascii.Error("it is no base64url")
    padded = text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4)
    return base64.b64decode(padded, validate=True)
