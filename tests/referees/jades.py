"""Verifies flattened JAdES signatures with jwcrypto, cryptography and OpenSSL.

Prints one JSON object per line and file. jwcrypto verifies the JWS under the first certificate of
`x5c`. cryptography checks that this certificate is the one of `x5t#S256`, and that the list leads
to the root. `openssl ts` checks that every token of `sigTst` covers the text of the signature
value, and that its signer leads to the root. The exit status is 0 only if all of that holds for
every file.
"""

import argparse
import base64
import hashlib
import json
import subprocess
import tempfile
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from jwcrypto import jwk, jws

ALGORITHMS = [kind + size for kind in ("RS", "PS", "ES") for size in ("256", "384", "512")]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", required=True, metavar="PEM", help="the trust anchor")
    parser.add_argument("file", nargs="+")
    return parser.parse_args()


def base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Judge:
    def __init__(self, root):
        self.root_file = root
        self.root = x509.load_pem_x509_certificate(Path(root).read_bytes())

    def verdict(self, path):
        verdict = {"file": path, "ok": False}
        try:
            verdict |= self.judge(json.loads(Path(path).read_bytes()))
            verdict["ok"] = verdict["named"] and verdict["chain"] and all(verdict["timestamps"])
        except Exception as error:
            verdict["error"] = f"{type(error).__name__}: {error}"
        return verdict

    def judge(self, flattened):
        header = json.loads(base64url(flattened["protected"]))
        chain = [x509.load_der_x509_certificate(base64.b64decode(der)) for der in header["x5c"]]
        token = jws.JWS()
        token.allowed_algs = ALGORITHMS
        token.deserialize(json.dumps(flattened))
        token.verify(jwk.JWK.from_pem(chain[0].public_bytes(Encoding.PEM)))
        thumbprint = hashlib.sha256(chain[0].public_bytes(Encoding.DER)).digest()
        return {
            "payload": token.payload.decode(),
            "named": base64url(header["x5t#S256"]) == thumbprint,
            "chain": self.leads_to_root(chain),
            "timestamps": [self.stamps(token, flattened["signature"]) for token in tokens(flattened)],
        }

    def leads_to_root(self, chain):
        for certificate, issuer in zip(chain, [*chain[1:], self.root]):
            certificate.verify_directly_issued_by(issuer)
        return True

    def stamps(self, token, signature):
        with tempfile.TemporaryDirectory() as folder:
            token_file, data = Path(folder, "token"), Path(folder, "data")
            token_file.write_bytes(token)
            data.write_text(signature)
            verify = ["openssl", "ts", "-verify", "-token_in", "-in", token_file, "-data", data]
            return subprocess.run([*verify, "-CAfile", self.root_file], capture_output=True).returncode == 0


def tokens(flattened):
    """Yields the tokens of signature time-stamps (TS 119 182-1, 5.3.4)."""
    for component in flattened.get("header", {}).get("etsiU", []):
        component = json.loads(base64url(component)) if isinstance(component, str) else component
        for token in component.get("sigTst", {}).get("tstTokens", []):
            yield base64.b64decode(token["val"])


def main():
    options = arguments()
    judge = Judge(options.root)
    verdicts = [judge.verdict(path) for path in options.file]
    for verdict in verdicts:
        print(json.dumps(verdict))
    raise SystemExit(0 if all(verdict["ok"] for verdict in verdicts) else 1)


main()
