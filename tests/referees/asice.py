"""Verifies the XAdES signatures in ASiC-E and ADOC containers.

Prints one JSON object per line and file. xmlsec1 verifies each signature over the unpacked files,
and its certificate's chain; pyHanko verifies its time-stamps. This script checks the rest:

- the archive is valid, and the manifest names exactly the files in it
- every signature covers all of them, with their types
- the signed properties are the ones in their place, and name the certificate that signed

An ADOC does not sign types. There, every signature also covers the metadata about the document,
its authors and itself, and relations lead to it from everything that it covers. The exit status is
0 only if every file has signatures and all of that holds for each.
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

ASIC_E = "application/vnd.etsi.asic-e+zip"
ADOC = "application/vnd.lt.archyvai.adoc-2008"
MANIFEST = "META-INF/manifest.xml"
ODF = "{urn:oasis:names:tc:opendocument:xmlns:manifest:1.0}"
RELATIONS = "META-INF/relations.xml"
RELATION = "{http://www.archyvai.lt/adoc/2008/relationships}"
SIGNABLE = "{http://www.archyvai.lt/adoc/2008/metadata/signable}"
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
        of_container, named = manifest_of(archive)
        require_all = Adoc(archive).require_all if of_container == ADOC else all_files(named)
        archive.extractall(folder)
        signatures = []
        for name in archive.namelist():
            if name.startswith("META-INF/") and "signatures" in name and name.endswith(".xml"):
                root = etree.fromstring(archive.read(name), PARSER)
                found = [root] if root.tag == f"{DS}Signature" else root.findall(f"{DS}Signature")
                signatures += [self.signature(name, each, folder, require_all) for each in found]
        return {"ok": bool(signatures) and all("error" not in each for each in signatures), "signatures": signatures}

    def signature(self, name, signature, folder, require_all):
        judged = {"id": f"{name}#{signature.get('Id')}"}
        try:
            self.verify_by_xmlsec1(folder, name, signature.get("Id"))
            covers = referenced(signature)
            judged["covers"] = dict(covers)
            properties = own_properties(signature)
            judged["signer"] = signing_certificate(signature, properties).subject.human_friendly
            require_all(judged["id"], covers, properties)
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
        # References are relative to the container's root, and to xmlsec1's working directory.
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
        # Serialized and parsed again: lxml canonicalizes inner elements of a document differently.
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


def manifest_of(archive):
    """Returns the types of container and members; requires the layout of EN 319 162-1, A.1."""
    names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
    if len(names) != len(set(names)):
        raise Unsound("two members have one name")
    if archive.testzip():
        raise Unsound(f"{archive.testzip()} is damaged")
    stated = archive.read("mimetype").decode().strip()
    if stated not in (ASIC_E, ADOC):
        raise Unsound("it is no ASiC-E or ADOC")
    entries = etree.fromstring(archive.read(MANIFEST), PARSER).findall(f"{ODF}file-entry")
    named = {entry.get(f"{ODF}full-path"): entry.get(f"{ODF}media-type") for entry in entries}
    if named.pop("/", None) != stated or len(named) != len(entries) - 1:
        raise Unsound("the manifest says nothing, or two things, of the container")
    # The manifest of an ADOC names all members, that of an ASiC-E only the files.
    is_named = (lambda name: name != MANIFEST) if stated == ADOC else (lambda name: not name.startswith("META-INF/"))
    held = {name for name in names if name != "mimetype" and is_named(name)}
    if held != {name for name in named if is_named(name) and not name.endswith("/")}:
        raise Unsound("the manifest names other files than there are")
    return stated, named


class Adoc:
    """Relations and metadata of an ADOC."""

    def __init__(self, archive):
        relations = etree.fromstring(archive.read(RELATIONS), PARSER)
        self.relations = {}
        self.elements = {}
        for part in relations.findall(f"{RELATION}SourcePart"):
            for relation in part.findall(f"{RELATION}Relationship"):
                kind = relation.get("type").removeprefix(RELATION[1:-1])
                key = (part.get("full-path"), relation.get("full-path"))
                self.relations[key] = kind
                self.elements[key] = {each.get("ref-id") for each in relation.findall(f"{RELATION}Element")}
        for path in {path for key in self.relations for path in key} - {"/"}:
            archive.getinfo(path)
        [self.main] = [target for (source, target), kind in self.relations.items() if kind == "/content/main"]
        if "/" in self.main:
            raise Unsound("the main document stands in a folder")
        self.content = {target for (_, target), kind in self.relations.items() if kind.startswith("/content/")}
        self.signable = {
            target: etree.fromstring(archive.read(target), PARSER)
            for (_, target), kind in self.relations.items()
            if kind == "/metadata/signable"
        }

    def require_all(self, identifier, covers, _properties):
        """Requires a signature over exactly the documents, their metadata and its own metadata."""
        expected = set(self.content)
        for name, metadata in self.signable.items():
            signed = metadata.findall(f"{SIGNABLE}document") + metadata.findall(f"{SIGNABLE}authors/{SIGNABLE}author")
            own = metadata.findall(f"{SIGNABLE}signatures/{SIGNABLE}signature")
            signed += [each for each in own if each.findtext(f"{SIGNABLE}signatureID") == identifier]
            expected |= {f"{name}#{each.get('ID')}" for each in signed}
        if sorted(name for _, name in covers) != sorted(expected):
            raise Unsound(f"it is over {covers}, not over {sorted(expected)}")
        file = identifier.split("#")[0]
        for source in {"/", *(name.split("#")[0] for _, name in covers)}:
            if self.relations.get((source, file)) != "/signatures":
                raise Unsound(f"no relation leads from {source} to {file}")
            parts = {name.split("#")[1] for _, name in covers if name.startswith(f"{source}#")}
            if self.elements[(source, file)] != parts:
                raise Unsound(f"the relations name other elements of {source} than {parts}")


def referenced(signature):
    """Returns the files, and elements of files, that references lead to, by reference id."""
    found = []
    for reference in signature.find(f"{DS}SignedInfo").findall(f"{DS}Reference"):
        if not reference.get("URI").startswith("#"):
            name = urllib.parse.unquote(reference.get("URI"))
            for expression in reference.iter(f"{DS}XPath"):
                name += "#" + expression.text.strip().removeprefix("ancestor-or-self::*[@ID=").strip("'\"]")
            found.append((reference.get("Id"), name))
    return found


def own_properties(signature):
    """Returns the SignedProperties in their place, which have to be the signed ones."""
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
    """Returns the certificate of KeyInfo, which the properties have to name."""
    signed = properties.find(f"{XADES}SignedSignatureProperties")
    lists = [each for each in signed if each.tag.startswith(f"{XADES}SigningCertificate")]
    [cert] = lists[0].findall(f"{XADES}Cert")
    digest = cert.find(f"{XADES}CertDigest")
    algorithm = DIGESTS[digest.find(f"{DS}DigestMethod").get("Algorithm")]
    expected = base64.b64decode(digest.find(f"{DS}DigestValue").text)
    # The signer's certificate is first; issuers may follow.
    element = signature.find(f"{DS}KeyInfo/{DS}X509Data/{DS}X509Certificate")
    der = base64.b64decode(element.text)
    if hashlib.new(algorithm, der).digest() != expected or len(lists) != 1:
        raise Unsound("the properties name another certificate")
    return x509.Certificate.load(der)


def all_files(named):
    """Returns a check that a signature covers all files of the manifest, with their types."""
    files = {name: named[name] for name in named if not name.startswith("META-INF/")}

    def require_all(_identifier, covers, properties):
        if sorted(name for _, name in covers) != sorted(files):
            raise Unsound(f"it is over {covers}, not over {sorted(files)}")
        formats = properties.findall(f"{XADES}SignedDataObjectProperties/{XADES}DataObjectFormat")
        types = {each.get("ObjectReference")[1:]: each.find(f"{XADES}MimeType").text for each in formats}
        for identifier, name in covers:
            if types.get(identifier) != files[name]:
                raise Unsound(f"{name} is signed as another type")

    return require_all


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
