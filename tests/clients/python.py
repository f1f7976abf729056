"""A caller of the signing API through the client that openapi-python-client makes.

Arguments: the folder of the generated package, the base URL, a sandbox key, a PDF.
Prints the SHA-256 of the document that it downloads.
"""

import base64
import hashlib
import importlib
import sys
import time
from pathlib import Path

folder, base_url, key, document = sys.argv[1:]
sys.path.insert(0, folder)
[package] = [path.name for path in Path(folder).iterdir() if (path / "client.py").is_file()]
api = importlib.import_module(package)
models = importlib.import_module(f"{package}.models")


def call(name):
    """An operation by its module, such as `signings.read_signing`."""
    return importlib.import_module(f"{package}.api.{name}")


client = api.AuthenticatedClient(
    base_url=base_url, token=key, raise_on_unexpected_status=True
)
content = base64.b64encode(Path(document).read_bytes()).decode()
created = call("signings.create_signing").sync(
    client=client,
    body=models.CreateSigningRequest(
        title="Paslaugų sutartis",
        document=models.DocumentRequest(name="sutartis.pdf", content=content),
        signers=[models.SignerRequest(email="ona@example.lt")],
    ),
)
assert isinstance(created, models.Signing), created
assert created.status == models.SigningStatus.PENDING, created.status

refused = call("signings.read_signing").sync(
    "00000000-0000-0000-0000-000000000000", client=client
)
assert isinstance(refused, models.Problem) and refused.status == 404, refused

simulated = call("signings.simulate_outcome").sync(
    created.signing_id,
    client=client,
    body=models.SimulateRequest(action=models.SimulatedOutcome.COMPLETE),
)
assert isinstance(simulated, models.Signing), simulated

deadline = time.monotonic() + 30
while True:
    signing = call("signings.read_signing").sync(created.signing_id, client=client)
    assert isinstance(signing, models.Signing), signing
    if signing.status == models.SigningStatus.COMPLETED:
        break
    assert time.monotonic() < deadline, signing.status
    time.sleep(0.1)

downloaded = call("signings.download_document").sync(created.signing_id, client=client)
print(hashlib.sha256(downloaded.payload.read()).hexdigest())
