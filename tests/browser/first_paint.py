#!/usr/bin/env python3
"""Measures the first paint of the ceremony page on a signer's phone.

    python3 tests/browser/first_paint.py target/release/parafa [LOADS]

Starts the server with a demo world of its own, posts a document, and opens its ceremony page in a
headless Chromium. The DevTools protocol throttles it: the network by the DevTools' own profiles,
the processor to a quarter of its speed, with the screen of a phone. Every load is the first of a
new browser with an empty profile. Prints the first contentful paint (W3C Paint Timing) in
milliseconds after the navigation began, and the bytes and requests received by then.

The protocol delays each request by the latency of the profile, but not connections. Here one
connection is made, without TLS.
"""

import base64
import contextlib
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import urllib.request

DOCUMENT = pathlib.Path(__file__).parents[2] / "fixtures/cases/pdf/sound-stream-1-4/input.pdf"
KILOBIT = 1000 / 8
# Name, latency in milliseconds, bytes a second down and up, as in the DevTools of Chromium.
PROFILES = [
    ("no limit", 0, -1, -1),
    ("Fast 4G", 165, 8100 * KILOBIT, 1350 * KILOBIT),
    ("Slow 4G", 562.5, 1440 * KILOBIT, 675 * KILOBIT),
]
SLOWER_PROCESSOR = 4
PHONE = {"width": 390, "height": 844, "pixelRatio": 3, "mobile": True, "touch": True}
PAINTED_WITHIN = 60

# Waits for the paint, and reports it with the data received by then.
PAINT = """
const tell = arguments[arguments.length - 1];
new PerformanceObserver((list) => {
  const paint = list.getEntriesByName("first-contentful-paint")[0];
  if (!paint) return;
  const [page] = performance.getEntriesByType("navigation");
  const came = performance.getEntriesByType("resource")
    .filter((one) => one.responseEnd > 0 && one.responseEnd <= paint.startTime);
  tell({
    paint: paint.startTime,
    html: page.responseEnd,
    bytes: [page, ...came].reduce((sum, one) => sum + one.transferSize, 0),
    requests: 1 + came.length,
  });
}).observe({type: "paint", buffered: true});
"""


def call(address, body=None, method=None, headers=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", **(headers or {})}
    request = urllib.request.Request(address, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=PAINTED_WITHIN) as answer:
        return json.load(answer)


@contextlib.contextmanager
def running(words, told):
    """Starts a program, waits for a line with these words, and yields the line."""
    program = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        line = next((line for line in program.stdout if told in line), None)
        if line is None:
            raise SystemExit(f"{words[0]} does not start")
        yield line.strip()
    finally:
        program.terminate()
        program.wait()


def ceremony(data):
    """Returns the address of the page of a new signer."""
    demo = json.loads((data / "demo.json").read_text(encoding="utf-8"))
    body = {
        "title": "Paslaugų sutartis",
        "document": {"name": "sutartis.pdf", "content": base64.b64encode(DOCUMENT.read_bytes()).decode()},
        "signers": [{"email": "ona@example.lt", "name": "Ona Pavyzdienė"}],
    }
    key = {"Authorization": f"Bearer {demo['signing']['live']}"}
    created = call(demo["baseUrl"].rstrip("/") + "/v1/signings", body, headers=key)
    return created["signers"][0]["ceremonyUrl"]


def load(driver, address, latency, down, up):
    """Loads the page once in a new browser."""
    with tempfile.TemporaryDirectory() as profile:
        options = {
            "args": [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--no-first-run", "--disable-background-networking", "--disable-component-update",
                "--disable-sync", f"--user-data-dir={profile}",
            ],
            "mobileEmulation": {"deviceMetrics": PHONE},
        }
        always = {"alwaysMatch": {"goog:chromeOptions": options}}
        session = call(f"{driver}/session", {"capabilities": always})["value"]["sessionId"]
        session = f"{driver}/session/{session}"

        def devtools(command, **params):
            call(f"{session}/goog/cdp/execute", {"cmd": command, "params": params})

        try:
            devtools("Network.enable")
            devtools(
                "Network.emulateNetworkConditions",
                offline=False, latency=latency, downloadThroughput=down, uploadThroughput=up,
            )
            devtools("Emulation.setCPUThrottlingRate", rate=SLOWER_PROCESSOR)
            call(f"{session}/url", {"url": address})
            answer = call(f"{session}/execute/async", {"script": PAINT, "args": []})
            return answer["value"]
        finally:
            call(session, method="DELETE")


def main():
    server, loads = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 9
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "data"
        serve = [server, "serve", "--demo", "--data", data, "--listen", "127.0.0.1:0"]
        started = running(["chromedriver", "--port=0"], "started successfully on port")
        with running(serve, "listening on"), started as told:
            driver = "http://127.0.0.1:" + told.rstrip(".").rsplit(" ", 1)[1]
            address = ceremony(data)
            load(driver, address, *PROFILES[0][1:])
            print("| network | first contentful paint, ms: least / median / most | page read | came by then |")
            print("|---|---|---|---|")
            for name, *limits in PROFILES:
                seen = [load(driver, address, *limits) for _ in range(loads)]
                paints = sorted(one["paint"] for one in seen)
                page = statistics.median(one["html"] for one in seen)
                came = seen[-1]
                print(
                    f"| {name} | {paints[0]:.0f} / {statistics.median(paints):.0f} / {paints[-1]:.0f} "
                    f"| {page:.0f} | {came['bytes'] / 1024:.1f} KiB in {came['requests']} requests |"
                )


if __name__ == "__main__":
    main()
