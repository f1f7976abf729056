"""A caller of the signing API through the client that openapi-python-client makes.

Arguments: the folder of the generated package, the base URL, a sandbox key, a PDF.
Prints the SHA-256 of the document that it downloads.
"""

import base64
import hashlib
import sys
import time
from pathlib import Path

from generated import Package

folder, base_url, key, document = sys.argv[1:]
package = Package(folder, base_url, key)
models, call = package.models, package.call

content = base64.b64encode(Path(document).read_bytes()).decode()
created = call(
    "signings.create_signing",
    body=models.CreateSigningRequest(
        title="Paslaugų sutartis",
        document=models.DocumentRequest(name="sutartis.pdf", content=content),
        signers=[models.SignerRequest(email="ona@example.lt")],
    ),
)
assert isinstance(created, models.Signing), created
assert created.status == models.SigningStatus.PENDING, created.status

refused = call("signings.read_signing", "00000000-0000-0000-0000-000000000000")
assert isinstance(refused, models.Problem) and refused.status == 404, refused

simulated = call(
    "signings.simulate_outcome",
    created.signing_id,
    body=models.SimulateRequest(action=models.SimulatedOutcome.COMPLETE),
)
assert isinstance(simulated, models.Signing), simulated

deadline = time.monotonic() + 30
while True:
    signing = call("signings.read_signing", created.signing_id)
    assert isinstance(signing, models.Signing), signing
    if signing.status == models.SigningStatus.COMPLETED:
        break
    assert time.monotonic() < deadline, signing.status
    time.sleep(0.1)

downloaded = call("signings.download_document", created.signing_id)
print(hashlib.sha256(downloaded.payload.read()).hexdigest())
