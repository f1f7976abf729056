import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { inspect } from "node:util";

import { DigestMismatch, digestForCard, ProblemError, SigningClient } from "parafa";

import { FakeClock, VECTORS } from "./world.js";

const signingId = "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f";

function refusal(status: number, name = "unavailable", headers: Record<string, string> = {}) {
    const type = `https://sign.example/problems/${name}`;
    return Response.json({ type, title: "No", status, detail: "Not now." }, { status, headers });
}

const created = () => Response.json({ commentId: signingId, body: "Checked." }, { status: 201 });
const lost = () => new TypeError("fetch failed");

/** A service that answers one request after another with what was planned. */
function service(...answers: (Response | Error)[]) {
    const keys: (string | null)[] = [];
    const clock = new FakeClock();
    const fetch = async (_: unknown, init?: RequestInit) => {
        keys.push(new Headers(init?.headers).get("idempotency-key"));
        const answer = answers.shift();
        if (!(answer instanceof Response)) throw answer;
        return answer;
    };
    const client = new SigningClient("https://sign.example/", "key", { clock, fetch });
    const path = { signingId };
    const comments = () =>
        client.call("post", "/v1/signings/{signingId}/comments", { path, body: { body: "Checked." } });
    const cancels = () => client.call("post", "/v1/signings/{signingId}/cancel", { path, body: {} });
    return { client, clock, keys, comments, cancels };
}

test("a creation keeps its key over repetitions, and another has another", async () => {
    const { clock, keys, comments } = service(
        refusal(429, "rate-limited", { "retry-after": "7" }),
        lost(),
        refusal(409, "idempotency-in-progress", { "retry-after": "2" }),
        refusal(503),
        created(),
        created(),
    );

    assert.equal((await comments()).body, "Checked.");
    await comments();

    assert(keys[0]);
    assert.equal(new Set(keys.slice(0, 5)).size, 1);
    assert.notEqual(keys[4], keys[5]);
    assert.deepEqual([clock.pauses[0], clock.pauses[2]], [7000, 2000]);
});

test("a wait longer than the caller's patience is a refusal at once", async () => {
    const { clock, cancels } = service(refusal(429, "rate-limited", { "retry-after": "3000" }));

    await assert.rejects(cancels(), { name: "ProblemError", retryAfter: 3000 });
    assert.deepEqual(clock.pauses, []);
});

test("nothing is asked for ever", async () => {
    const { clock, comments } = service(...Array.from({ length: 100 }, () => refusal(503)));

    await assert.rejects(comments(), ProblemError);
    assert(clock.now() < 61_000);
});

test("what would be done twice is not repeated when its answer is lost", async () => {
    const { clock, keys, cancels } = service(lost());

    await assert.rejects(cancels(), TypeError);
    assert.deepEqual([keys, clock.pauses], [[null], []]);
});

test("a 503 that the service did not write is no reason to do twice what has no key", async () => {
    const unavailable = () => new Response("", { status: 503 });
    const { keys, cancels, comments } = service(unavailable(), unavailable(), created());

    await assert.rejects(cancels(), ProblemError);
    assert.equal((await comments()).body, "Checked.");
    assert.equal(keys.length, 3);
});

test("what is given up is not asked for again", async () => {
    const { client, clock, keys } = service(refusal(503));
    const given = new AbortController();
    clock.sleep = async (_, signal) => {
        given.abort(new Error("enough"));
        signal?.throwIfAborted();
    };

    await assert.rejects(client.wait(signingId, 60, given.signal), { message: "enough" });
    assert.equal(keys.length, 1);
});

test("nothing that is printed or thrown holds the key", async () => {
    const { client, comments } = service(refusal(401));

    const told: unknown[] = [client, await comments().catch((error: unknown) => error)];
    assert(!inspect(told, { depth: null, showHidden: true }).includes("Bearer"));
});

test("a problem is told with all faults", async () => {
    const type = "https://sign.example/problems/validation-failed";
    const errors = [{ pointer: "/body", detail: "is missing" }];
    const body = { type, title: "Invalid", status: 400, detail: "The request is not valid.", errors };
    const answer = Response.json(body, { status: 400, headers: { "x-request-id": "one" } });

    const told = { kind: "validation-failed", type, title: "Invalid", status: 400, errors, requestId: "one" };
    await assert.rejects(service(answer).comments(), { name: "ProblemError", ...told });
});

test("what something on the way says is a problem too", async () => {
    const init = { status: 502, statusText: "Bad Gateway" };
    for (const body of ["<h1>Bad Gateway</h1>", "[]", '{"errors": "none", "error": "none"}']) {
        const answer = new Response(body, init);
        await assert.rejects(service(answer).comments(), { name: "ProblemError", kind: "Bad Gateway" });
    }
});

test("a call without the id in its path is not made", async () => {
    const { client, keys } = service(created());

    await assert.rejects(client.get(""), TypeError);
    assert.deepEqual(keys, []);
});

test("a document with another digest is none", async () => {
    const digest = createHash("sha256").update("sound").digest("hex");
    const headers = { "x-service-document-sha256": digest };
    const { client } = service(
        new Response("sound", { headers }),
        new Response("harmed", { headers }),
        new Response("sound"),
    );
    assert.equal(String(await client.download(signingId)), "sound");
    await assert.rejects(client.download(signingId), DigestMismatch);
    await assert.rejects(client.download(signingId), DigestMismatch);
});

test("a card signs the published digest", () => {
    const { dtbs, sha256 } = VECTORS.card;
    assert.equal(digestForCard(dtbs).toString("hex"), sha256);
});
