// A caller of the authentication API through openapi-fetch, with the types that
// openapi-typescript makes of the description.
//
// Arguments: the base URL, the key's id and secret in base64, an origin. Prints
// the id of a request that it made and read.

import assert from "node:assert/strict";

import createClient from "openapi-fetch";

import type { paths } from "./api/authentication.js";

const [baseUrl, key, audience] = process.argv.slice(2);
assert(baseUrl && key && audience);
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Basic ${key}` } });

const created = await client.POST("/v1/auth/requests", {
    body: { audience, method: "physical" },
});
assert(created.data, created.error?.error.message);
const read = await client.GET("/v1/auth/requests/{requestId}", {
    params: { path: { requestId: created.data.requestId } },
});
assert.equal(read.data?.status, "pending");
console.log(read.data.requestId);
