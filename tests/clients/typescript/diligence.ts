// A caller of the due-diligence API through openapi-fetch, with the types that
// openapi-typescript makes of the description.
//
// Arguments: the base URL, a sandbox key. Prints how many acts of seizure there
// are in a report, and in the order the status of a package.

import assert from "node:assert/strict";

import createClient from "openapi-fetch";

import type { paths } from "./api/diligence.js";

const [baseUrl, key] = process.argv.slice(2);
assert(baseUrl && key);
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

const counts: number[] = [];
for (const code of ["999000138", "999000088"]) {
    const report = await client.GET("/v1/entities/{code}/dd-report", {
        params: { path: { code }, query: { purpose: "AML_KYC" } },
    });
    // Neither a signed form nor a container was asked for.
    assert(typeof report.data === "object" && "data" in report.data, report.error?.detail);
    const { seizures } = report.data.data.sections;
    // The status tells which section it is, and so whether there are data.
    counts.push(seizures.status === "ok" ? seizures.data.acts.length : 0);
}

const ordered = await client.POST("/v1/kyc-packages", {
    body: { entityCode: "999000009", subjectRole: "manager", purpose: "OTHER" },
});
assert(ordered.data, ordered.error?.detail);
const read = await client.GET("/v1/kyc-packages/{orderId}", {
    params: { path: { orderId: ordered.data.orderId } },
});
assert(read.data, read.error?.detail);
console.log(...counts, read.data.status);
