import base64, hashlib, hmac, time

def verify(secret, headers, body):
    """Names of headers in lower case, the body in bytes as they came."""
    sent = headers["webhook-timestamp"]
    if abs(time.time() - int(sent)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{sent}.".encode() + body
    value = base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    given = headers["webhook-signature"].encode().split(b" ")
    return any(hmac.compare_digest(b"v1," + value, one) for one in given)
