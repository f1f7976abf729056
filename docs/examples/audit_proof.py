#!/usr/bin/env python3
"""Recomputes the seal over a trail, from `parafa audit prove SIGNING --json` on standard input.

Prints the seal's hash. Needs Python 3.11, and nothing of the server.
"""

import datetime, hashlib, json, sys, uuid

def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def number(value, size=8): return int(value).to_bytes(size, "big")
def text(value): return number(len(value.encode())) + value.encode()

trail = json.load(sys.stdin)
chain, end, sealed = uuid.UUID(trail["chain"]).bytes, bytes(32), trail["sealed"]
for place, event in enumerate(trail["events"], 1):
    texts = [event["name"], *(part for field in sorted(event["fields"].items()) for part in field)]
    end = sha(b"parafa-audit/1", end, chain, number(place), number(event["atNanoseconds"], 16), *map(text, texts))
    if end.hex() != event["hash"]: sys.exit(f"event {place} has another hash: {end.hex()}")
node, at, last = sha(b"\0", chain, number(place), end), sealed["index"], sealed["size"] - 1
for beside in map(bytes.fromhex, sealed["path"]):
    left = at % 2 == 1 or at == last
    node = sha(b"\1", beside, node) if left else sha(b"\1", node, beside)
    while left and at % 2 == 0 and at:
        at, last = at // 2, last // 2
    at, last = at // 2, last // 2
hour = datetime.datetime.fromisoformat(sealed["hour"]).timestamp() // 3600
seal = sha(b"parafa-seal/1", bytes.fromhex(sealed["previous"]), *map(number, (sealed["number"], hour, sealed["size"])), node)
if (node.hex(), seal.hex()) != (sealed["root"], sealed["hash"]): sys.exit(f"the seal is another one: {seal.hex()}")
print(seal.hex())
