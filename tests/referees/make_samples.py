"""Makes an ASiC-E container and a JAdES signature with external libraries, to test the referees.

usage: make_samples.py FOLDER

Writes `anchor.pem`, the signer's own certificate, and signatures at level B-B. These are:

- `signed.asice`; `tampered.asice`, with its file changed; `unsigned.asice`, with an additional file
- `signed.json`, and its `tampered.json`
"""

import base64
import datetime
import hashlib
import json
import sys
import zipfile
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from lxml import etree
from signxml import CanonicalizationMethod, DigestAlgorithm, SignatureConstructionMethod, SignatureMethod
from signxml.signer import SignatureReference
from signxml.util import namespaces
from signxml.xades import XAdESDataObjectFormat, XAdESSigner

ASIC_E = "application/vnd.etsi.asic-e+zip"
ASIC = "http://uri.etsi.org/02918/v1.2.1#"
NAME = "contract.xml"
# In canonical form, because its bytes are signed.
CONTRACT = b"<contract>One hundred euros</contract>"
OTHER_CONTRACT = b"<contract>One million euros</contract>"
MANIFEST = f"""<?xml version="1.0" encoding="UTF-8"?>
<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2">
<manifest:file-entry manifest:full-path="/" manifest:media-type="{ASIC_E}"/>
<manifest:file-entry manifest:full-path="{NAME}" manifest:media-type="text/xml"/>
</manifest:manifest>"""


def signer():
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.datetime.now(datetime.timezone.utc)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Sample Signer")])
    usage = dict.fromkeys(
        "digital_signature key_encipherment data_encipherment key_agreement key_cert_sign crl_sign"
        " encipher_only decipher_only".split(),
        False,
    )
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(x509.KeyUsage(content_commitment=True, **usage), critical=True)
        .sign(key, hashes.SHA256())
    )
    return key, certificate


class Signer(XAdESSigner):
    """Signer that states the canonicalization of its own parts, as a container requires."""

    def _add_reference_to_signed_info(self, sig_root, node_to_reference, **attributes):
        super()._add_reference_to_signed_info(sig_root, node_to_reference, **attributes)
        reference = sig_root.findall(".//ds:SignedInfo/ds:Reference", sig_root.nsmap)[-1]
        transforms = etree.Element(f"{{{namespaces.ds}}}Transforms")
        etree.SubElement(transforms, f"{{{namespaces.ds}}}Transform", Algorithm=self.c14n_alg.value)
        reference.insert(0, transforms)


def xades(key, certificate):
    """Returns a detached signature (EN 319 132-1) over the contract."""
    signature = Signer(
        method=SignatureConstructionMethod.detached,
        signature_algorithm=SignatureMethod.ECDSA_SHA256,
        digest_algorithm=DigestAlgorithm.SHA256,
        c14n_algorithm=CanonicalizationMethod.EXCLUSIVE_XML_CANONICALIZATION_1_0,
        data_object_format=XAdESDataObjectFormat(Description="", MimeType="text/xml"),
    ).sign(
        etree.fromstring(CONTRACT),
        always_add_key_value=False,
        key=key,
        cert=[certificate],
        reference_uri=[SignatureReference(URI=NAME)],
    )
    container = etree.Element(f"{{{ASIC}}}XAdESSignatures", nsmap={"asic": ASIC})
    container.append(signature)
    return etree.tostring(container, xml_declaration=True, encoding="UTF-8")


def asic_e(path, contract, signature, *others):
    """Writes a container (EN 319 162-1)."""
    with zipfile.ZipFile(path, "w") as container:
        container.writestr("mimetype", ASIC_E)
        container.writestr(NAME, contract)
        for name in others:
            container.writestr(name, "nobody signed this")
        container.writestr("META-INF/manifest.xml", MANIFEST)
        container.writestr("META-INF/signatures0.xml", signature)


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def jades(key, certificate, payload):
    """Returns a flattened JSON serialization (TS 119 182-1)."""
    der = certificate.public_bytes(serialization.Encoding.DER)
    header = {
        "alg": "ES256",
        "iat": int(datetime.datetime.now().timestamp()),
        "x5c": [base64.b64encode(der).decode()],
        "x5t#S256": base64url(hashlib.sha256(der).digest()),
    }
    protected = base64url(json.dumps(header).encode())
    payload = base64url(payload)
    r, s = decode_dss_signature(key.sign(f"{protected}.{payload}".encode(), ec.ECDSA(hashes.SHA256())))
    value = r.to_bytes(32, "big") + s.to_bytes(32, "big")
    return {"payload": payload, "protected": protected, "signature": base64url(value)}


def main():
    folder = Path(sys.argv[1])
    key, certificate = signer()
    (folder / "anchor.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    signature = xades(key, certificate)
    asic_e(folder / "signed.asice", CONTRACT, signature)
    asic_e(folder / "tampered.asice", OTHER_CONTRACT, signature)
    asic_e(folder / "unsigned.asice", CONTRACT, signature, "appendix.txt")

    signed = jades(key, certificate, CONTRACT)
    (folder / "signed.json").write_text(json.dumps(signed))
    (folder / "tampered.json").write_text(json.dumps({**signed, "payload": base64url(OTHER_CONTRACT)}))


main()
