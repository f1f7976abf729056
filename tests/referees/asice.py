"""A judgement of the XAdES signatures in ASiC-E containers, one JSON object a line and file.

xmlsec1 verifies each signature over the unpacked files and the chain of its certificate, pyHanko
its time-stamps; what xmlsec1 does not look at is looked at here: that the archive is one, that the
manifest names the files that it holds, that every signature is over all of them with their types,
that what is signed as its properties are the ones in its place, and that they name the certificate
that signed. The exit status is 0 only if every file has signatures and all of that holds of each.
"""

import argparse
import asyncio
import base64
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse
import zipfile

from asn1crypto import cms, x509
from lxml import etree
from pyhanko.keys import load_cert_from_pemder
from pyhanko.sign.validation.generic_cms import validate_tst_signed_data
from pyhanko.sign.validation.status import TimestampSignatureStatus
from pyhanko_certvalidator import ValidationContext

MEDIA_TYPE = b"application/vnd.etsi.asic-e+zip"
MANIFEST = "META-INF/manifest.xml"
ODF = "{urn:oasis:names:tc:opendocument:xmlns:manifest:1.0}"
DS = "{http://www.w3.org/2000/09/xmldsig#}"
XADES = "{http://uri.etsi.org/01903/v1.3.2#}"
PROPERTIES = "http://uri.etsi.org/01903#SignedProperties"
DIGESTS = {
    "http://www.w3.org/2001/04/xmlenc#sha256": "sha256",
    "http://www.w3.org/2001/04/xmldsig-more#sha384": "sha384",
    "http://www.w3.org/2001/04/xmlenc#sha512": "sha512",
}
EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#"
PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)


class Unsound(Exception):
    pass


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", action="append", default=[], metavar="PEM", help="a trust anchor")
    parser.add_argument(
        "--untrusted", action="store_true", help="nobody asks who signed: chains and time-stamps are left aside"
    )
    parser.add_argument("file", nargs="+")
    return parser.parse_args()


class Judge:
    def __init__(self, options):
        self.untrusted = options.untrusted
        self.root_files = options.root
        self.roots = [load_cert_from_pemder(path) for path in options.root]

    def verdict(self, path):
        try:
            with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
                return {"file": path, **self.container(archive, pathlib.Path(folder))}
        except Exception as error:
            return {"file": path, "ok": False, "error": f"{type(error).__name__}: {error}"}

    def container(self, archive, folder):
        files = data_files(archive)
        archive.extractall(folder)
        signatures = []
        for name in archive.namelist():
            if name.startswith("META-INF/") and "signatures" in name and name.endswith(".xml"):
                root = etree.fromstring(archive.read(name), PARSER)
                found = [root] if root.tag == f"{DS}Signature" else root.findall(f"{DS}Signature")
                signatures += [self.signature(name, each, files, folder) for each in found]
        return {"ok": bool(signatures) and all("error" not in each for each in signatures), "signatures": signatures}

    def signature(self, name, signature, files, folder):
        judged = {"id": f"{name}#{signature.get('Id')}"}
        try:
            self.verify_by_xmlsec1(folder, name, signature.get("Id"))
            judged["covers"] = covers = referenced(signature)
            properties = own_properties(signature)
            judged["signer"] = signing_certificate(signature, properties).subject.human_friendly
            require_all_files(signature, covers, properties, files)
            judged["timestamps"] = 0
            for stamp in signature.iter(f"{XADES}SignatureTimeStamp"):
                self.verify_timestamp(signature, stamp)
                judged["timestamps"] += 1
        except Exception as error:
            judged["error"] = f"{type(error).__name__}: {error}"
        return judged

    def verify_by_xmlsec1(self, folder, name, identifier):
        trust = ["--insecure"] if self.untrusted else []
        for root in self.root_files:
            trust += ["--trusted-pem", str(pathlib.Path(root).resolve())]
        # References are relative to the root of the container, xmlsec1's to the folder that it runs in.
        run = subprocess.run(
            ["xmlsec1", "--verify", *trust, "--enabled-key-data", "x509"]
            + ["--id-attr:Id", f"{XADES[1:-1]}:SignedProperties"]
            + ["--node-xpath", f"//*[local-name()='Signature'][@Id='{identifier}']", name],
            cwd=folder,
            capture_output=True,
            text=True,
        )
        if run.returncode != 0:
            raise Unsound(f"xmlsec1: {run.stdout} {run.stderr}")

    def verify_timestamp(self, signature, stamp):
        method = stamp.find(f"{DS}CanonicalizationMethod")
        exclusive = method is not None and method.get("Algorithm") == EXCLUSIVE
        # Written and read again, because lxml does not canonicalize the inside of a document as others do.
        value = etree.fromstring(etree.tostring(signature.find(f"{DS}SignatureValue"), with_tail=False))
        stamped = etree.tostring(value, method="c14n", exclusive=exclusive, with_comments=False)
        [token] = stamp.findall(f"{XADES}EncapsulatedTimeStamp")
        signed_data = cms.ContentInfo.load(base64.b64decode(token.text))["content"]
        context = ValidationContext(trust_roots=self.roots, revocation_mode="soft-fail", allow_fetching=False)
        status = TimestampSignatureStatus(
            **asyncio.run(
                validate_tst_signed_data(
                    signed_data, context, lambda algorithm: hashlib.new(algorithm, stamped).digest()
                )
            )
        )
        if not (status.intact and status.valid and (status.trusted or self.untrusted)):
            raise Unsound(f"a time-stamp does not pass: {status.summary()}")


def data_files(archive):
    """The data files with their types, of an archive that is laid out as EN 319 162-1, A.1 asks."""
    names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
    if len(names) != len(set(names)):
        raise Unsound("two members have one name")
    if archive.testzip():
        raise Unsound(f"{archive.testzip()} is damaged")
    if archive.read("mimetype").strip() != MEDIA_TYPE:
        raise Unsound("it is no ASiC-E")
    entries = etree.fromstring(archive.read(MANIFEST), PARSER).findall(f"{ODF}file-entry")
    named = {entry.get(f"{ODF}full-path"): entry.get(f"{ODF}media-type") for entry in entries}
    if named.pop("/", None) != MEDIA_TYPE.decode() or len(named) != len(entries) - 1:
        raise Unsound("the manifest says nothing, or two things, of the container")
    held = {name for name in names if name != "mimetype" and not name.startswith("META-INF/")}
    if held != {name for name in named if not name.startswith("META-INF/")}:
        raise Unsound("the manifest names other files than there are")
    return named


def referenced(signature):
    """The files that references lead to, by the ids of these."""
    references = signature.find(f"{DS}SignedInfo").findall(f"{DS}Reference")
    return {
        reference.get("Id"): urllib.parse.unquote(reference.get("URI"))
        for reference in references
        if not reference.get("URI").startswith("#")
    }


def own_properties(signature):
    """The SignedProperties in their place, which have to be the ones that are signed."""
    [qualifying] = signature.findall(f"{DS}Object/{XADES}QualifyingProperties")
    [properties] = qualifying.findall(f"{XADES}SignedProperties")
    if qualifying.get("Target") != "#" + signature.get("Id"):
        raise Unsound("the properties are those of another signature")
    references = signature.find(f"{DS}SignedInfo").findall(f"{DS}Reference")
    [reference] = [each for each in references if each.get("Type") == PROPERTIES]
    same = signature.getroottree().xpath("//*[@Id=$id]", id=properties.get("Id"))
    if reference.get("URI") != "#" + properties.get("Id") or len(same) != 1:
        raise Unsound("other properties are signed than stand in their place")
    return properties


def signing_certificate(signature, properties):
    """The certificate of KeyInfo, which the properties have to name."""
    signed = properties.find(f"{XADES}SignedSignatureProperties")
    lists = [each for each in signed if each.tag.startswith(f"{XADES}SigningCertificate")]
    [cert] = lists[0].findall(f"{XADES}Cert")
    digest = cert.find(f"{XADES}CertDigest")
    algorithm = DIGESTS[digest.find(f"{DS}DigestMethod").get("Algorithm")]
    expected = base64.b64decode(digest.find(f"{DS}DigestValue").text)
    # The signer's stands first, issuers may follow.
    element = signature.find(f"{DS}KeyInfo/{DS}X509Data/{DS}X509Certificate")
    der = base64.b64decode(element.text)
    if hashlib.new(algorithm, der).digest() != expected or len(lists) != 1:
        raise Unsound("the properties name another certificate")
    return x509.Certificate.load(der)


def require_all_files(signature, covers, properties, files):
    data = {name for name in files if not name.startswith("META-INF/")}
    if sorted(covers.values()) != sorted(data):
        raise Unsound(f"it is over {sorted(covers.values())}, not over {sorted(data)}")
    formats = properties.findall(f"{XADES}SignedDataObjectProperties/{XADES}DataObjectFormat")
    types = {each.get("ObjectReference")[1:]: each.find(f"{XADES}MimeType").text for each in formats}
    for identifier, name in covers.items():
        if types.get(identifier) != files[name]:
            raise Unsound(f"{name} is signed as another type")


def main():
    options = arguments()
    judge = Judge(options)
    are_good = True
    for path in options.file:
        verdict = judge.verdict(path)
        are_good = are_good and verdict["ok"]
        print(json.dumps(verdict), flush=True)
    sys.exit(0 if are_good else 1)


main()
