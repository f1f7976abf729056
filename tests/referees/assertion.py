"""Verifies an assertion (a JWT) with jwcrypto, like a relying party.

Prints one JSON object with the claims, or with the fault.

usage: assertion.py JWKS-FILE ISSUER AUDIENCE NOW < assertion
"""

import json
import sys
from datetime import datetime

from jwcrypto import jwk, jwt
from jwcrypto.common import base64url_decode


def verdict(keys, issuer, audience, now, assertion):
    try:
        header = json.loads(base64url_decode(assertion.split(".")[0]))
        key = keys.get_key(header["kid"])
        checked = jwt.JWT(algs=["ES256"], check_claims={"iss": issuer, "aud": audience})
        # jwcrypto uses the system clock, not the demo's.
        checked.leeway = abs(now - datetime.now(now.tzinfo)).total_seconds() + 60
        checked.deserialize(assertion, key)
        claims = json.loads(checked.claims)
        seconds = now.timestamp()
        if not claims["iat"] - 5 <= seconds < claims["exp"]:
            return {"ok": False, "error": "not valid now"}
        return {"ok": True, "claims": claims}
    except Exception as error:
        return {"ok": False, "error": f"{type(error).__name__}: {error}"}


keys_file, issuer, audience, now = sys.argv[1:]
with open(keys_file, encoding="utf-8") as file:
    keys = jwk.JWKSet.from_json(file.read())
now = datetime.fromisoformat(now)
print(json.dumps(verdict(keys, issuer, audience, now, sys.stdin.read().strip())))
