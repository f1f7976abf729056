// A caller of the signing API through openapi-fetch, with the types that
// openapi-typescript makes of the description.
//
// Arguments: the base URL, a sandbox key, a PDF. Prints the SHA-256 of the
// document that it downloads.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

import createClient from "openapi-fetch";

import type { components, paths } from "./api/signing.js";

type Signing = components["schemas"]["Signing"];

const [baseUrl, key, document] = process.argv.slice(2);
assert(baseUrl && key && document);
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

const created = await client.POST("/v1/signings", {
    body: {
        title: "Paslaugų sutartis",
        document: { name: "sutartis.pdf", content: readFileSync(document).toString("base64") },
        signers: [{ email: "ona@example.lt" }],
    },
});
assert(created.data, created.error?.detail);
const path = { signingId: created.data.signingId };

const refused = await client.GET("/v1/signings/{signingId}", {
    params: { path: { signingId: "00000000-0000-0000-0000-000000000000" } },
});
assert.equal(refused.error?.status, 404);

const simulated = await client.POST("/v1/signings/{signingId}/simulate", {
    params: { path },
    body: { action: "complete" },
});
assert(simulated.data, simulated.error?.detail);

let status: Signing["status"] = "pending";
const deadline = Date.now() + 30_000;
while (status !== "completed") {
    assert(Date.now() < deadline, status);
    await setTimeout(100);
    const read = await client.GET("/v1/signings/{signingId}", { params: { path } });
    assert(read.data, read.error?.detail);
    status = read.data.status;
}

const downloaded = await client.GET("/v1/signings/{signingId}/document", {
    params: { path },
    parseAs: "arrayBuffer",
});
assert(downloaded.data);
const bytes = new Uint8Array(downloaded.data as unknown as ArrayBuffer);
console.log(createHash("sha256").update(bytes).digest("hex"));
