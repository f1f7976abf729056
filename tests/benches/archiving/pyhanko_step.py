"""Times how pyHanko validates a signature with given answers and adds them.

Repeats that a given number of times, and prints the times.
"""

import asyncio
import datetime
import glob
import io
import statistics
import sys
import time


def main():
    try:
        from asn1crypto import ocsp, x509
        from pyhanko.pdf_utils.reader import PdfFileReader
        from pyhanko.sign.validation.dss import async_add_validation_info
        from pyhanko_certvalidator import ValidationContext
    except ImportError:
        return

    folder, runs = sys.argv[1], int(sys.argv[2])

    def read(kind, load):
        for path in sorted(glob.glob(f"{folder}/*.{kind}")):
            with open(path, "rb") as file:
                yield load(file.read())

    with open(f"{folder}/document.pdf", "rb") as file:
        document = file.read()
    others = list(read("cert", x509.Certificate.load))
    # A self-signed certificate ends chains, even if it is not a declared anchor.
    roots = list(read("root", x509.Certificate.load))
    roots += [other for other in others if other.self_signed == "maybe"]
    responses = list(read("ocsp", ocsp.OCSPResponse.load))
    if len(PdfFileReader(io.BytesIO(document)).embedded_regular_signatures) != 1:
        return

    async def archive():
        [signature] = PdfFileReader(io.BytesIO(document)).embedded_regular_signatures
        context = ValidationContext(
            trust_roots=roots,
            other_certs=others,
            ocsps=responses,
            allow_fetching=False,
            revocation_mode="hard-fail",
            moment=signature.self_reported_timestamp,
            time_tolerance=datetime.timedelta(days=1),
        )
        await async_add_validation_info(
            signature, context, add_vri_entry=False, output=io.BytesIO()
        )

    for _ in range(runs):
        asyncio.run(archive())
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        asyncio.run(archive())
        times.append((time.perf_counter() - start) * 1000)
    print(f"raised, pyHanko | {min(times):.2f} | {statistics.median(times):.2f}")


main()
