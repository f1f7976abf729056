#!/usr/bin/env python3
"""Prints the tables of docs/scale.md. What was measured is read from docs/performance.md."""

import hashlib
import math
import pathlib
import random
import re

# Assumed.
SIGNINGS = 10_000_000  # a day, each with one signer
HOURS = [0.2] * 6 + [1, 3, 7, 10, 10, 9, 8, 9, 9, 8, 7, 5, 4, 3, 2, 1.5, 1, 0.5]  # weights of a day
WORKSPACES = 1000  # the Nth posts 1/N of what the first does
DOCUMENT_KIB = 100
KEPT_DAYS = 30
PAGE_SECONDS = 120  # a signer's page is open
LONGEST_WAIT = 1.0  # seconds, for a machine, in the busiest hour
DEPLOYMENTS = [1, 2, 4, 8, 16]

# Measured: what it is, its row in the page, its column.
FIGURES = [
    ("creates a second on the embedded store, 32 callers", "creates a second, 32 callers", 3),
    ("signatures a second there, 8 signers by card", "whole signatures a second, eight signers", 1),
    ("rows created a second in PostgreSQL, 32 callers", "creates, one host", 1),
    ("signatures a second with PostgreSQL, 8 signers by card", "whole signatures a second, eight signers", 2),
    ("the same, documents in a bucket", "whole signatures a second, eight signers", 3),
    ("processor time of a signature by Smart-ID, ms", "signature by Smart-ID, PDF of 10 KiB", 1),
    ("its commits", "signature by Smart-ID, PDF of 10 KiB", 2),
    ("its reads of documents", "signature by Smart-ID, PDF of 10 KiB", 7),
    ("memory for a signer whose app was asked, KiB", "more of it for each", 1),
]
PAGE = (pathlib.Path(__file__).parent.parent / "performance.md").read_text(encoding="utf-8").splitlines()
MACHINE = re.compile(r"\b([A-Z], \d+ [A-Z][a-z]{2})")


def measured(row, column):
    """A number of the page, with the machine and day that the row or what stands above it names."""
    [at] = [at for at, line in enumerate(PAGE) if line.startswith(f"| {row} |")]
    machine = next(filter(None, map(MACHINE.search, PAGE[at::-1])))
    return float(PAGE[at].split(" | ")[column].split()[0]), machine[1]


def shares(deployments):
    """Which part of the signings each deployment has, its workspaces chosen by a hash."""
    parts = [0.0] * deployments
    for n in range(1, WORKSPACES + 1):
        digest = hashlib.sha256(str(n).encode()).digest()
        parts[int.from_bytes(digest[:8], "big") % deployments] += 1 / n
    return [part / sum(parts) for part in parts]


def longest_wait(rate, capacity):
    """Seconds until what waits is done, at worst in an hour: chance around a rate, a queue behind it."""
    chance, waiting, worst = random.Random(1), 0.0, 0.0
    for _ in range(3600):
        begun = rate + math.sqrt(rate) * (sum(chance.random() for _ in range(12)) - 6)
        waiting = max(0.0, waiting + max(0.0, begun) - capacity)
        worst = max(worst, waiting / capacity)
    return worst


def machines(rate):
    """The fewest with which nobody waits for too long."""
    count = max(1, math.floor(rate / WHOLE))
    while longest_wait(rate, count * WHOLE) > LONGEST_WAIT:
        count += 1
    return count


print("| measured | figure | machine, 2026 |\n|---|---|---|")
found = [(name, *measured(row, column)) for name, row, column in FIGURES]
for name, value, machine in found:
    print(f"| {name} | {value:g} | {machine} |")
_, _, ROWS, _, WHOLE, PROCESSOR_MS, COMMITS, READS, ASKED_KIB = [value for _, value, _ in found]

peak = SIGNINGS * max(HOURS) / sum(HOURS) / 3600
print("\n| deployments | part of the largest | its signatures a second | its commits a second"
      " | of the rows above | its machines | machines in all |\n|---|---|---|---|---|---|---|")
for count in DEPLOYMENTS:
    rates = [peak * share for share in shares(count)]
    rate, needed = max(rates), [machines(rate) for rate in rates]
    print(f"| {count} | {rate / peak:.0%} | {rate:.0f} | {rate * COMMITS:.0f}"
          f" | {rate * COMMITS / ROWS:.0%} | {max(needed)} | {sum(needed)} |")

pages = peak * PAGE_SECONDS
stored = SIGNINGS * 2 * DOCUMENT_KIB * 1024 / 1e12
print(f"""
| of all deployments, computed | |
|---|---|
| processors of the hosts in the busiest hour | {peak * PROCESSOR_MS / 1000:.1f} |
| pages open then; their memory | {pages:,.0f}; {pages * ASKED_KIB / 2**20:.1f} GiB |
| documents written to the bucket a day; read there | {SIGNINGS * 2:,}; {SIGNINGS * READS:,.0f} |
| stored a day; after {KEPT_DAYS} days | {stored:.2f} TB; {stored * KEPT_DAYS:.0f} TB |
| requests to the eID provider a day; for OCSP; time-stamps | {SIGNINGS * 4:,}; {SIGNINGS:,}; {SIGNINGS:,} |""")
