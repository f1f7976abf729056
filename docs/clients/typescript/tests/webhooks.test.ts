import assert from "node:assert/strict";
import { test } from "node:test";

import { verifyWebhook, WebhookError, type SigningEvent } from "parafa";

import { VECTORS } from "./world.js";

const { secret, body, ...vector } = VECTORS.webhook;
const at = Number(vector.timestamp);
const other = `whsec_${Buffer.from("another secret").toString("base64")}`;

const headers = (changes: Partial<typeof vector> = {}) =>
    Object.fromEntries(
        Object.entries({ ...vector, ...changes }).map(([name, value]) => [`Webhook-${name}`, value]),
    );

test("the published vector holds", () => {
    const delivery = verifyWebhook<SigningEvent>(body, headers(), secret, { now: at });

    assert.deepEqual([delivery.id, delivery.timestamp], [vector.id, at]);
    assert.equal(delivery.event.event, "signing.completed");
    const fetched = new Headers(headers());
    assert.equal(verifyWebhook(Buffer.from(body), fetched, secret, { now: at }).id, vector.id);
});

test("either side of a rotation may have two secrets", () => {
    const both = headers({ signature: `v1,${"A".repeat(43)}= ${vector.signature}` });

    for (const secrets of [[other, secret], [secret, other]]) {
        assert.equal(verifyWebhook(body, both, secrets, { now: at }).id, vector.id);
    }
});

test("what is changed or signed by somebody else is refused", () => {
    for (const [what, fields, by] of [
        [`${body} `, headers(), secret],
        [body, headers({ id: "another" }), secret],
        [body, headers({ timestamp: String(at + 1) }), secret],
        [body, headers(), other],
        [body, headers({ signature: vector.signature.replace("v1,", "v2,") }), secret],
        [body, headers({ signature: "" }), secret],
        [body, { "webhook-id": vector.id }, secret],
    ] as const) {
        assert.throws(() => verifyWebhook(what, fields, by, { now: at }), WebhookError);
    }
});

test("what was sent more than five minutes ago or ahead is refused", () => {
    for (const off of [-300, 300]) verifyWebhook(body, headers(), secret, { now: at + off });
    for (const off of [-301, 301]) {
        assert.throws(() => verifyWebhook(body, headers(), secret, { now: at + off }), WebhookError);
    }
});

test("a secret that is none is no reason to believe anything", () => {
    for (const secrets of [[], "", "whsec_", secret.slice("whsec_".length), "whsec_?"]) {
        assert.throws(() => verifyWebhook(body, headers(), secrets, { now: at }), TypeError);
    }
});
