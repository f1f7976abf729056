#!/usr/bin/env python3
"""A relying party of the authentication API, with a page for the browser, against the demo world.

    parafa serve --demo
    python3 docs/examples/relying_party.py parafa-data/demo.json
    # then open http://localhost:8090

The backend (this file) has the key and creates the request; the page has the client's token and makes
the client's two calls; the backend then reads who has authenticated and trusts that alone. The demo's
software cards stand in for a card reader: a page that has one asks it instead.
"""

import base64
import http.cookies
import http.server
import json
import secrets
import sys
import urllib.error
import urllib.request

PORT = 8090
ORIGIN = f"http://localhost:{PORT}"

with open(sys.argv[1] if len(sys.argv) > 1 else "parafa-data/demo.json", encoding="utf-8") as file:
    DEMO = json.load(file)
BASE = DEMO["baseUrl"]
KEY = base64.b64encode(f"{DEMO['auth']['keyId']}:{DEMO['auth']['keySecret']}".encode()).decode()

PAGE = """<!doctype html><meta charset="utf-8"><title>Log in</title>
<h1>Log in</h1>
<p>Card <select id="who"><option>card-p384<option>card-p256<option>card-rsa<option>card-revoked</select>
<button id="go">Log in</button></p><pre id="out"></pre>
<script>
const post = async (url, body, token) => {
  const headers = {"content-type": "application/json"};
  if (token) headers.authorization = `Bearer ${token}`;
  const answer = await fetch(url, {method: "POST", headers, body: JSON.stringify(body)});
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error ? `${value.error.code}: ${value.error.message}` : answer.status);
  return value;
};
document.getElementById("go").onclick = async () => {
  const out = document.getElementById("out"), who = document.getElementById("who").value;
  try {
    const {base, requestId, clientToken} = await post("/begin", {});
    const card = `/card/${who}`;
    const {certificate} = await (await fetch(card)).json();
    const {dtbs, operationToken, verificationCode} =
      await post(`${base}/v1/auth/${requestId}/certificate`, {certificate}, clientToken);
    out.textContent = `code ${verificationCode}`;
    const bytes = Uint8Array.from(atob(dtbs), (c) => c.charCodeAt(0));
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const signed = await post(card, {sha256: btoa(String.fromCharCode(...digest))});
    await post(`${base}/v1/auth/${requestId}/complete`, {...signed, operationToken}, clientToken);
    out.textContent = JSON.stringify(await post("/end", {}), null, 2);
  } catch (error) { out.textContent = error.message; }
};
</script>"""


def call(url, body=None, headers=None):
    """An answer's status and JSON."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, json.loads(refused.read() or b"{}")


def by_key(path, body=None):
    return call(BASE + path, body, {"Authorization": f"Basic {KEY}"})


# Which browser began which request: nobody is logged in by a request that somebody else began.
SESSIONS = {}


def begin():
    """The answer for the page, and the browser's session."""
    status, created = by_key("/v1/auth/requests", {"audience": ORIGIN, "method": "physical"})
    session = secrets.token_urlsafe(32)
    SESSIONS[session] = created.get("requestId")
    return status, {"base": BASE, **created}, session


def end(session):
    """What the page says counts for nothing: the backend asks about the request of this browser."""
    request_id = SESSIONS.pop(session, None)
    if request_id is None:
        return 403, {"error": "this browser has begun nothing"}
    status, request = by_key(f"/v1/auth/requests/{request_id}")
    if request.get("status") != "completed":
        return 403, request
    return status, {"subject": request["cert"]["subject"], "assertion": request["assertion"]}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/card/"):
            return self.answer(*call(f"{DEMO['world']['cards']}/{self.path[6:]}/authentication"))
        self.write(200, PAGE.encode(), "text/html; charset=utf-8")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"] or 0)) or b"{}")
        if self.path == "/begin":
            status, value, session = begin()
            cookie = f"session={session}; HttpOnly; SameSite=Strict; Path=/"
            return self.answer(status, value, {"Set-Cookie": cookie})
        if self.path == "/end":
            cookies = http.cookies.SimpleCookie(self.headers["Cookie"] or "")
            session = cookies["session"].value if "session" in cookies else None
            return self.answer(*end(session))
        self.answer(*call(f"{DEMO['world']['cards']}/{self.path[6:]}/authentication/sign", body))

    def answer(self, status, value, headers=None):
        self.write(status, json.dumps(value).encode(), "application/json", headers)

    def write(self, status, body, media_type, headers=None):
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    print(f"open {ORIGIN}")
    http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
