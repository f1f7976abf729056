"""Times how pyHanko signs PDF files (B-B) in two steps, as with a remote device.

The first step reads the file, appends the signature with room for its value, digests it and makes
the data that the device signs. The second step puts the CMS signature into the room. The device
itself is not timed. Prints one JSON object per line and file: the medians in milliseconds, and the
CPU time of both steps and the signature itself, garbage collection included.
"""

import argparse
import asyncio
import io
import json
import statistics
import time

from asn1crypto import algos
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from pyhanko.keys import load_cert_from_pemder
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.sign import fields, signers
from pyhanko.sign.signers.pdf_signer import PdfTBSDocument
from pyhanko_certvalidator.registry import SimpleCertificateStore

DIGEST = "sha256"


class TwoSteps:
    def __init__(self, options):
        with open(options.key, "rb") as file:
            self.key = serialization.load_pem_private_key(file.read(), password=None)
        self.certificate = load_cert_from_pemder(options.certificate)
        self.issuers = SimpleCertificateStore.from_certs([load_cert_from_pemder(options.issuer)])
        self.reserve = options.reserve

    def signer(self, value):
        return signers.ExternalSigner(
            signing_cert=self.certificate,
            cert_registry=self.issuers,
            signature_value=value,
            signature_mechanism=algos.SignedDigestAlgorithm({"algorithm": f"{DIGEST}_ecdsa"}),
        )

    async def prepare(self, document):
        output = io.BytesIO()
        pdf_signer = signers.PdfSigner(
            signers.PdfSignatureMetadata(
                field_name="Signature", md_algorithm=DIGEST, subfilter=fields.SigSeedSubFilter.PADES
            ),
            signer=self.signer(bytes(self.reserve // 2)),
        )
        digest, _, _ = await pdf_signer.async_digest_doc_for_signing(
            IncrementalPdfFileWriter(io.BytesIO(document)), bytes_reserved=2 * self.reserve, output=output
        )
        attributes = await self.signer(b"").signed_attrs(digest.document_digest, DIGEST, use_pades=True)
        return output, digest, attributes

    async def embed(self, output, digest, attributes, value):
        signature = await self.signer(value).async_sign_prescribed_attributes(DIGEST, attributes)
        PdfTBSDocument.resume_signing(output, digest, signature)

    async def times(self, document):
        start = time.perf_counter()
        output, digest, attributes = await self.prepare(document)
        prepared = time.perf_counter() - start

        value = self.key.sign(attributes.dump(), ec.ECDSA(hashes.SHA256()))

        start = time.perf_counter()
        await self.embed(output, digest, attributes, value)
        return prepared, time.perf_counter() - start

    async def measure(self, document, runs):
        for _ in range(runs):
            await self.times(document)
        used = time.process_time()
        times = [await self.times(document) for _ in range(runs)]
        return times, (time.process_time() - used) / runs


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--key", required=True, help="of an elliptic curve, PEM")
    parser.add_argument("--certificate", required=True, help="PEM")
    parser.add_argument("--issuer", required=True, help="PEM")
    parser.add_argument("--reserve", type=int, default=8192, help="bytes of room for the signature")
    parser.add_argument("--runs", type=int, default=10, help="after as many that are not measured")
    parser.add_argument("file", nargs="+")
    options = parser.parse_args()
    steps = TwoSteps(options)
    for path in options.file:
        with open(path, "rb") as file:
            document = file.read()
        runs, processor = asyncio.run(steps.measure(document, options.runs))
        prepare, embed = (1000 * statistics.median(times) for times in zip(*runs))
        row = {"file": path, "prepareMs": prepare, "embedMs": embed, "processorMs": 1000 * processor}
        print(json.dumps(row), flush=True)


main()
