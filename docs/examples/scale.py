#!/usr/bin/env python3
"""Prints the tables of docs/scale.md. What was measured is read from docs/performance.md.

Arguments such as `machine=60 puts=5` replace prices, by their names in PRICES.
"""

import hashlib
import math
import pathlib
import random
import re
import sys

# Assumed.
SIGNINGS = 10_000_000  # a day, each with one signer
HOURS = [0.2] * 6 + [1, 3, 7, 10, 10, 9, 8, 9, 9, 8, 7, 5, 4, 3, 2, 1.5, 1, 0.5]  # weights of a day
WORKSPACES = 1000  # the Nth posts 1/N of what the first does
DOCUMENT_KIB = 100
KEPT_DAYS = 30
PAGE_SECONDS = 120  # a signer's page is open
LONGEST_WAIT = 1.0  # seconds, for a machine, in the busiest hour
DEPLOYMENTS = [1, 2, 4, 8, 16]

# Assumed for the costs.
PRICED = [1_000, 100_000, 10_000_000]  # signings a day
MONTH_DAYS = 30
RESERVE = 1  # machines more, to bear the loss of one
DATABASES = 2  # with a standby
ROWS_KIB = 32  # of a signing in a database, indexes and dead rows included
ERASED_KIB = 6  # of an erased one: its row, its audit trail, what was charged
ERASED_DAYS = 365 - KEPT_DAYS  # the sum is that of the end of the first year
SCRIPTS_KIB = 540  # that a signer's browser loads on a first visit: the page, PDF.js

# What a deployment uses in a month, by the names of PRICES.
LINES = {
    "machine": "machines",
    "volume": "GB of the database and its standby",
    "commits": "million commits",
    "bucket": "TB in the bucket",
    "puts": "million PUT",
    "gets": "million GET or HEAD",
    "traffic": "TB sent",
}
AT_LEAST = {"bucket": 1}  # charged

# Prices in EUR without VAT, each with its unit, who says so, and when.
SERVERS = "[MoveInfra](https://raw.githubusercontent.com/moveinfra/eu-cloud-prices/main/data/eu-cloud-prices.csv)"
OF_API = "the provider's API, as quoted elsewhere"
OF_BLOG = "a blog, as cited elsewhere"
OF_WIKI = "a wiki: included"
PRICES = {
    "machine": (42.99, "a machine a month: CCX13, 2 dedicated vCPU, 8 GB", f"{SERVERS}, 28 Oct 2026"),
    "volume": (0.0572, "a GB of a volume a month", f"{OF_API}, 27 May 2026"),
    "commits": (0, "a million commits, where I/O is charged", "no price is known"),
    "bucket": (6.49, "a TB in a bucket a month, at least one", f"{OF_BLOG}, 15 Sep 2026"),
    "puts": (0, "a million PUT", f"{OF_WIKI}, 14 Nov 2026"),
    "gets": (0, "a million GET or HEAD", f"{OF_WIKI}, 14 Nov 2026"),
    "traffic": (1, "a TB sent, where none is included", f"{OF_API}, 27 May 2026"),
}

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


def peak_of(signings):
    """Signings a second in the busiest hour."""
    return signings * max(HOURS) / sum(HOURS) / 3600


def stored_tb(signings):
    """What a day's documents take in the bucket: each as posted, and once more signed."""
    return signings * 2 * DOCUMENT_KIB * 1024 / 1e12


def amounts(signings):
    """What one deployment uses in a month, under the names of the prices."""
    month = signings * MONTH_DAYS
    rows_kib = signings * (KEPT_DAYS * ROWS_KIB + ERASED_DAYS * ERASED_KIB)
    return {
        "machine": machines(peak_of(signings)) + RESERVE,
        "volume": DATABASES * rows_kib * 1024 / 1e9,
        "commits": month * COMMITS / 1e6,
        "bucket": stored_tb(signings) * KEPT_DAYS,
        "puts": month * 2 / 1e6,
        # The signer sees the document, the caller fetches the result; a removal first asks for each.
        "gets": month * (READS + 2 + 2) / 1e6,
        "traffic": month * (SCRIPTS_KIB + 2 * DOCUMENT_KIB) * 1024 / 1e12,
    }


def figure(number):
    """An amount with two digits, or all of those before the point."""
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


prices = {name: price for name, (price, _, _) in PRICES.items()}
for name, value in (argument.split("=") for argument in sys.argv[1:]):
    if name not in prices:
        sys.exit(f"no price {name}; there are {', '.join(prices)}")
    prices[name] = float(value)

print("| measured | figure | machine, 2026 |\n|---|---|---|")
found = [(name, *measured(row, column)) for name, row, column in FIGURES]
for name, value, machine in found:
    print(f"| {name} | {value:g} | {machine} |")
_, _, ROWS, _, WHOLE, PROCESSOR_MS, COMMITS, READS, ASKED_KIB = [value for _, value, _ in found]

peak = peak_of(SIGNINGS)
print("\n| deployments | part of the largest | its signatures a second | its commits a second"
      " | of the rows above | its machines | machines in all |\n|---|---|---|---|---|---|---|")
for count in DEPLOYMENTS:
    rates = [peak * share for share in shares(count)]
    rate, needed = max(rates), [machines(rate) for rate in rates]
    print(f"| {count} | {rate / peak:.0%} | {rate:.0f} | {rate * COMMITS:.0f}"
          f" | {rate * COMMITS / ROWS:.0%} | {max(needed)} | {sum(needed)} |")

pages = peak * PAGE_SECONDS
stored = stored_tb(SIGNINGS)
print(f"""
| of all deployments, computed | |
|---|---|
| processors of the hosts in the busiest hour | {peak * PROCESSOR_MS / 1000:.1f} |
| pages open then; their memory | {pages:,.0f}; {pages * ASKED_KIB / 2**20:.1f} GiB |
| documents written to the bucket a day; read there | {SIGNINGS * 2:,}; {SIGNINGS * READS:,.0f} |
| stored a day; after {KEPT_DAYS} days | {stored:.2f} TB; {stored * KEPT_DAYS:.0f} TB |
| requests to the eID provider a day; for OCSP; time-stamps | {SIGNINGS * 4:,}; {SIGNINGS:,}; {SIGNINGS:,} |""")

print("\n| price | EUR | according to |\n|---|---|---|")
for name, (listed, unit, origin) in PRICES.items():
    print(f"| `{name}`: {unit} | {prices[name]:g} | {origin if prices[name] == listed else 'the command line'} |")


def row(name, cells):
    print("|", name, "|", " | ".join(cells), "|")


used = [amounts(signings) for signings in PRICED]
costs = {name: [prices[name] * max(use[name], AT_LEAST.get(name, 0)) for use in used] for name in PRICES}
sums = [sum(of_all) for of_all in zip(*costs.values())]
months = [signings * MONTH_DAYS for signings in PRICED]
peaks = [peak_of(signings) for signings in PRICED]

print()
row("signings a day", [f"{signings:,}" for signings in PRICED])
print("|---|---|---|---|")
for name, line in LINES.items():
    row(f"{line}; EUR a month", [f"{figure(use[name])}; {figure(cost)}" for use, cost in zip(used, costs[name])])
row("**EUR a month**", [f"**{figure(total)}**" for total in sums])
row("**EUR for a thousand signings**", [f"**{figure(t / m * 1000)}**" for t, m in zip(sums, months)])
row("MiB of memory for open pages, at most", [figure(peak * PAGE_SECONDS * ASKED_KIB / 2**10) for peak in peaks])
row("commits a second in the busiest hour", [figure(peak * COMMITS) for peak in peaks])
row("by contract: time-stamps a month, as many requests for OCSP", [f"{month:,}" for month in months])
row("by contract: requests to the eID provider a month", [f"{4 * month:,}" for month in months])
