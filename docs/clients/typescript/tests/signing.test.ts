import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { DeadlineError, document, SigningClient } from "parafa";

import { demo } from "./world.js";

const { baseUrl, signing } = demo();
// With a key of the sandbox, where outcomes are simulated.
const client = new SigningClient(baseUrl, signing.test);

const create = async (idempotencyKey?: string) =>
    client.create(
        {
            title: "Paslaugų sutartis",
            document: await document("contract.pdf"),
            signers: [{ email: "ona@example.lt" }],
        },
        { idempotencyKey },
    );

const simulate = (signingId: string, action: "complete" | "decline") =>
    client.call("post", "/v1/signings/{signingId}/simulate", { path: { signingId }, body: { action } });

test("a signing is created, waited for and downloaded", async () => {
    const { signingId } = await create();
    await assert.rejects(client.wait(signingId, 0), DeadlineError);

    await simulate(signingId, "complete");
    const ended = await client.wait(signingId, 30);

    assert.equal(ended.status, "completed");
    const signed = await client.download(signingId);
    assert.equal(createHash("sha256").update(signed).digest("hex"), ended.document?.sha256);
});

test("a signing that comes to nothing is over too", async () => {
    const { signingId } = await create();
    await simulate(signingId, "decline");

    assert.equal((await client.wait(signingId, 30)).status, "declined");
});

test("a key of the caller's creates once", async () => {
    const key = crypto.randomUUID();
    const [first, second, other] = [await create(key), await create(key), await create()];

    assert.equal(first.signingId, second.signingId);
    assert.notEqual(first.signingId, other.signingId);
});

test("refusals are errors", async () => {
    const unknown = client.get("00000000-0000-0000-0000-000000000000");
    await assert.rejects(unknown, { name: "ProblemError", kind: "not-found", status: 404 });
    const faulty = client.create({ title: "", signers: [] });
    await assert.rejects(faulty, { name: "ProblemError", kind: "validation-failed" });
});
