"""Validates the PAdES signatures in PDF files with pyHanko.

Prints one JSON object per line and file. Every signature is validated by the suitable procedure
of ETSI EN 319 102-1: with proof of existence if a document time-stamp follows it (5.6.3), with
its time if it has a signature time-stamp (5.5), else as a basic signature (5.3). The exit status
is 0 only if every file has signatures and all of them pass. Each has to cover the whole of its
revision, and later changes may not go beyond what it allows. Every document time-stamp has to
pass, too.
"""

import argparse
import asyncio
import datetime
import json
import logging
import signal
import socket
import sys

from asn1crypto import core, crl, ocsp
from pyhanko.keys import load_cert_from_pemder
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.ades.report import AdESPassed
from pyhanko.sign.diff_analysis import ModificationLevel
from pyhanko.sign.fields import enumerate_sig_fields
from pyhanko.sign.validation import (
    DocumentSecurityStore,
    SignatureCoverageLevel,
    StandardCMSSignatureStatus,
)
from pyhanko.sign.validation.ades import (
    ades_basic_validation,
    ades_lta_validation,
    ades_timestamp_validation,
    ades_with_time_validation,
)
from pyhanko.sign.validation.errors import NoDSSFoundError
from pyhanko.sign.validation.policy_decl import (
    CertificateFetchingRule,
    LocalKnowledge,
    PdfSignatureValidationSpec,
    RevinfoOnlineFetchingRule,
    RevocationInfoGatheringSpec,
    SignatureValidationSpec,
)
from pyhanko_certvalidator.context import CertValidationPolicySpec
from pyhanko_certvalidator.policy_decl import (
    NO_REVOCATION,
    REQUIRE_REVINFO,
    CertRevTrustPolicy,
)
from pyhanko_certvalidator.registry import SimpleTrustManager
from pyhanko_certvalidator.revinfo.archival import CRLContainer, OCSPContainer

CLOCKS_MAY_DIFFER = datetime.timedelta(seconds=30)
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Bounded(BaseException):
    """Time-out of a file; not an Exception, so that no handler catches it."""


def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", action="append", default=[], metavar="PEM", help="a trust anchor")
    parser.add_argument(
        "--other", action="append", default=[], metavar="PEM", help="for building paths, not trusted"
    )
    revocation = parser.add_mutually_exclusive_group()
    revocation.add_argument(
        "--offline", action="store_true", help="only with what the file holds, and with all of it: B-LT"
    )
    revocation.add_argument(
        "--no-revocation", action="store_true", help="nobody is asked whether a certificate is revoked"
    )
    parser.add_argument(
        "--lenient",
        action="store_true",
        help="read files again, leniently, which the strict reader does not take, such as those with"
        ' both kinds of cross-reference; "lenient" in the output says so',
    )
    parser.add_argument("--seconds", type=int, help='a file that takes longer is "bounded", nothing else is told')
    parser.add_argument("file", nargs="+")
    return parser.parse_args(arguments)


class Judge:
    """Validator of files with the same anchors and the same policy."""

    def __init__(self, options):
        self.roots = [load_cert_from_pemder(path) for path in options.root]
        self.others = [load_cert_from_pemder(path) for path in options.other]
        self.lenient = options.lenient
        self.is_online = not (options.offline or options.no_revocation)
        self.policy = CertValidationPolicySpec(
            trust_manager=SimpleTrustManager.build(trust_roots=self.roots),
            revinfo_policy=CertRevTrustPolicy(NO_REVOCATION if options.no_revocation else REQUIRE_REVINFO),
            time_tolerance=CLOCKS_MAY_DIFFER,
        )

    def verdict(self, path):
        verdict = {"file": path, **self.read(path, strict=True)}
        if self.lenient and is_unread(verdict):
            verdict = {"file": path, "lenient": True, **self.read(path, strict=False)}
        return verdict

    def read(self, path, strict):
        try:
            with open(path, "rb") as file:
                return self.judge(PdfFileReader(file, strict=strict))
        except Exception as error:
            return {"ok": False, "error": described(error)}

    def judge(self, reader):
        embedded = reader.embedded_signatures
        filled = sum(1 for _ in enumerate_sig_fields(reader, filled_status=True))
        store = Store(reader)
        stamps = [each for each in embedded if is_document_timestamp(each)]
        newest_stamp = max((stamp.signed_revision for stamp in stamps), default=-1)
        signatures = [
            self.signature(each, store, newest_stamp) for each in embedded if not is_document_timestamp(each)
        ]
        timestamps = [self.document_timestamp(stamp, store) for stamp in stamps]
        verdict = {
            # pyHanko leaves out signatures of an unknown kind.
            "ok": bool(signatures) and filled == len(embedded) and all(map(is_sound, signatures + timestamps)),
            "signatures": signatures,
            "documentTimestamps": timestamps,
        }
        if filled != len(embedded):
            verdict["error"] = f"{filled - len(embedded)} signatures are of an unknown kind"
        return verdict

    def signature(self, embedded, store, newest_stamp):
        judged = {"field": embedded.field_name}
        try:
            judged |= description(embedded)
            integrity = changes(embedded)
            judged["level"] = self.level(embedded, store, newest_stamp)
            judged["procedure"], result = asyncio.run(self.validate(embedded, store, newest_stamp))
            judged |= conclusion(result) | integrity
            stamp = getattr(result.api_status, "timestamp_validity", None)
            judged["timestamp"] = stamp and {
                "time": stamp.timestamp.isoformat(),
                "signer": stamp.signing_cert.subject.human_friendly,
                "intact": stamp.intact and stamp.valid,
                "trusted": stamp.trusted,
            }
        except Exception as error:
            judged["error"] = described(error)
        return judged

    async def validate(self, embedded, store, newest_stamp):
        spec = self.spec(store)
        if newest_stamp > embedded.signed_revision:
            return "lta", await ades_lta_validation(embedded, PdfSignatureValidationSpec(spec))
        with_time = has_timestamp(embedded)
        validation = ades_with_time_validation if with_time else ades_basic_validation
        result = await validation(
            embedded.signed_data,
            spec,
            raw_digest=embedded.compute_digest(),
            status_cls=StandardCMSSignatureStatus,
        )
        return "with_time" if with_time else "basic", result

    def document_timestamp(self, embedded, store):
        judged = {"field": embedded.field_name}
        try:
            judged |= description(embedded)
            integrity = changes(embedded)
            result = asyncio.run(
                ades_timestamp_validation(embedded.signed_data, self.spec(store), embedded.compute_digest)
            )
            judged |= conclusion(result) | integrity
        except Exception as error:
            judged["error"] = described(error)
        return judged

    def level(self, embedded, store, newest_stamp):
        """Returns the baseline level by content; the indication says whether it is valid."""
        if not has_timestamp(embedded):
            return "B-B"
        stamper = next(timestamps(embedded))["certificates"]
        certificates = [each.chosen for each in stamper if each.name == "certificate"]
        anchors = {root.sha256 for root in self.roots}
        ends = [each for each in [embedded.signer_cert, *certificates] if not each.ca and each.sha256 not in anchors]
        if store.is_empty() or not all(map(store.tells_of, ends)):
            return "B-T"
        return "B-LTA" if newest_stamp > embedded.signed_revision else "B-LT"

    def spec(self, store):
        fetching = RevinfoOnlineFetchingRule.ALWAYS_FETCH if self.is_online else RevinfoOnlineFetchingRule.LOCAL_ONLY
        certificates = CertificateFetchingRule.FOLLOW_ONLINE_RULE if self.is_online else CertificateFetchingRule.NEVER_FETCH
        return SignatureValidationSpec(
            cert_validation_policy=self.policy,
            revinfo_gathering_policy=RevocationInfoGatheringSpec(
                online_fetching_rule=fetching, certificate_fetching_rule=certificates
            ),
            local_knowledge=LocalKnowledge(
                known_ocsps=store.ocsps, known_crls=store.crls, known_certs=self.others + store.certificates
            ),
        )


class Store:
    """Content of a file's document security store (EN 319 142-1, 5.4.2)."""

    def __init__(self, reader):
        self.ocsps, self.crls, self.certificates = [], [], []
        try:
            store = DocumentSecurityStore.read_dss(reader)
        except NoDSSFoundError:
            return
        self.certificates = list(store.load_certs())
        for reference in store.ocsps:
            response = ocsp.OCSPResponse.load(reference.get_object().data)
            self.ocsps += OCSPContainer.load_multi(response)
        for reference in store.crls:
            self.crls.append(CRLContainer(crl.CertificateList.load(reference.get_object().data)))

    def is_empty(self):
        return not (self.ocsps or self.crls)

    def tells_of(self, certificate):
        """Returns whether there is an OCSP response about a certificate, or a CRL of its issuer."""
        numbers = (each.extract_single_response()["cert_id"]["serial_number"].native for each in self.ocsps)
        issuers = (each.crl_data["tbs_cert_list"]["issuer"] for each in self.crls)
        return certificate.serial_number in numbers or certificate.issuer in issuers


def is_document_timestamp(embedded):
    return embedded.sig_object_type == "/DocTimeStamp"


def timestamps(embedded):
    """Yields the tokens over the signature value."""
    attributes = embedded.signer_info["unsigned_attrs"]
    for attribute in () if isinstance(attributes, core.Void) else attributes:
        if attribute["type"].native == "signature_time_stamp_token":
            yield from (token["content"] for token in attribute["values"])


def has_timestamp(embedded):
    return next(timestamps(embedded), None) is not None


def description(embedded):
    return {
        "subFilter": embedded.sig_object.get("/SubFilter"),
        "byteRange": [int(number) for number in embedded.byte_range],
        "signer": embedded.signer_cert.subject.human_friendly,
    }


def changes(embedded):
    """Returns the coverage of a signature, and the changes after it."""
    embedded.compute_integrity_info()
    integrity = embedded.summarise_integrity_info()
    found = getattr(integrity["diff_result"], "modification_level", ModificationLevel.OTHER)
    return {
        "coverage": integrity["coverage"].name,
        "modification": found.name,
        "docmdpOk": integrity["docmdp_ok"],
    }


def conclusion(result):
    passes = result.ades_subindic == AdESPassed.OK
    return {
        "indication": result.ades_subindic.status.name,
        "subIndication": None if passes else result.ades_subindic.standard_name,
        "failure": result.failure_msg,
    }


def is_sound(judged):
    return (
        judged.get("indication") == "PASSED"
        and SignatureCoverageLevel[judged["coverage"]] >= SignatureCoverageLevel.ENTIRE_REVISION
        and judged["docmdpOk"] is True
    )


def is_unread(verdict):
    return "error" in verdict or any("error" in signature for signature in verdict["signatures"])


def described(error):
    return f"{type(error).__name__}: {error}"


def stay_on_this_machine():
    """Blocks names and addresses of other machines, which certificates may contain."""
    resolve = socket.getaddrinfo

    def resolve_loopback(host, *rest, **options):
        if host not in LOOPBACK:
            raise socket.gaierror(f"{host} is another machine")
        return resolve(host, *rest, **options)

    socket.getaddrinfo = resolve_loopback


def stop(_signal, _frame):
    raise Bounded


def are_good(arguments):
    """Prints the verdicts."""
    options = parsed(arguments)
    judge = Judge(options)
    good = True
    for path in options.file:
        # Repeated every second, because an exception in a finalizer is lost.
        signal.setitimer(signal.ITIMER_REAL, options.seconds or 0, 1)
        try:
            verdict = judge.verdict(path)
        except Bounded:
            verdict = {"file": path, "ok": False, "bounded": True}
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        good = good and verdict["ok"]
        print(json.dumps(verdict), flush=True)
    return good


def main():
    logging.disable()
    stay_on_this_machine()
    signal.signal(signal.SIGALRM, stop)
    # Then such arguments come on standard input, one request a line with tabs between them.
    if sys.argv[1:] == ["--serve"]:
        for request in sys.stdin:
            are_good(request.rstrip("\n").split("\t"))
    else:
        sys.exit(0 if are_good(sys.argv[1:]) else 1)


main()
