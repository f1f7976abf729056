// Webhooks: whether a delivery comes from the service.

import { createHmac, timingSafeEqual } from "node:crypto";

/** A delivery is not to be believed. Answer 400, and do nothing of what it says. */
export class WebhookError extends Error {
    override name = "WebhookError";
}

/** A delivery whose signature holds. */
export interface Delivery<Event> {
    /** The event's id, the same on every attempt: whoever keeps it knows a repetition. */
    id: string;
    /** When this attempt was made, in Unix time. */
    timestamp: number;
    /** What is told: a `SigningEvent` or a `KycEvent`, by whose secret it is, or `webhook.test`. */
    event: Event;
}

export interface WebhookOptions {
    /** How many seconds the time of a delivery may be off; 300 unless given. */
    tolerance?: number;
    /** Unix time, which is the clock's unless given. */
    now?: number;
}

/**
 * Verifies `webhook-signature` over a body as it came (see https://www.standardwebhooks.com).
 *
 * While a secret is rotated give both, the new and the old one.
 */
export function verifyWebhook<Event>(
    body: Uint8Array | string,
    headers: Headers | Record<string, string | string[] | undefined>,
    secrets: string | readonly string[],
    { tolerance = 300, now = Date.now() / 1000 }: WebhookOptions = {},
): Delivery<Event> {
    const keys = (typeof secrets === "string" ? [secrets] : secrets).map(keyOf);
    if (keys.length === 0) throw new TypeError("there is no secret to verify with");
    const fields = headers instanceof Headers ? headers : headersOf(headers);
    const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => {
        const value = fields.get(`webhook-${name}`);
        if (value === null) throw new WebhookError(`it has no webhook-${name}`);
        return value;
    }) as [string, string, string];
    let holds = false;
    for (const key of keys) {
        const hmac = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body);
        const expected = Buffer.from(`v1,${hmac.digest("base64")}`);
        for (const signature of signatures.split(" ").map((text) => Buffer.from(text))) {
            const isLong = signature.length === expected.length;
            if (isLong && timingSafeEqual(signature, expected)) holds = true;
        }
    }
    if (!holds) throw new WebhookError("it is signed with no secret of these");
    // Signed by the service, it is a number.
    if (!(Math.abs(now - Number(timestamp)) <= tolerance)) {
        throw new WebhookError("it was sent too long ago, or will be");
    }
    const text = typeof body === "string" ? body : Buffer.from(body).toString();
    return { id, timestamp: Number(timestamp), event: JSON.parse(text) as Event };
}

/** Header fields as Node has them. */
function headersOf(fields: Record<string, string | string[] | undefined>): Headers {
    const headers = new Headers();
    for (const [name, value] of Object.entries(fields)) {
        if (/^webhook-/i.test(name)) headers.set(name, String(value));
    }
    return headers;
}

function keyOf(secret: string): Buffer {
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    if (key.length > 0 && secret === `whsec_${key.toString("base64")}`) return key;
    // Nothing of it is told: it may be a sound one of something else.
    throw new TypeError("a secret is whsec_ and base64");
}
