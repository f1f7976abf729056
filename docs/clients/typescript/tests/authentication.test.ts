import assert from "node:assert/strict";
import { test } from "node:test";

import { AuthenticationClient, DeadlineError, NotAuthenticated } from "parafa";

import { demo } from "./world.js";

const { baseUrl, auth, world } = demo();
const client = new AuthenticationClient(baseUrl, auth.keyId, auth.keySecret);
const audience = auth.audience;

/** The personal code of somebody with Smart-ID. */
function smartId(outcome: string): string {
    const found = world.personas.find(
        ({ country, methods, ...person }) =>
            country === "LT" && methods.includes("smart_id") && person.outcome === outcome,
    );
    assert(found);
    return found.personalCode;
}

test("a person is waited for and read", async () => {
    const personalCode = smartId("signs");
    const started = await client.start({ audience, method: "smart_id", personalCode });
    assert.match(started.verificationCode ?? "", /^[0-9]{4}$/);

    const ended = await client.wait(started.requestId, 60);

    assert.equal(ended.cert.subject.serialNumber, `PNOLT-${personalCode}`);
    assert(ended.assertion);
});

test("whoever refuses is not authenticated", async () => {
    const personalCode = smartId("user_refused");
    const { requestId } = await client.start({ audience, method: "smart_id", personalCode });

    const told = (error: unknown) =>
        error instanceof NotAuthenticated && error.ended.error?.code === "user_refused";
    await assert.rejects(client.wait(requestId, 60), told);
});

test("a request is made, read and called off", async () => {
    const { requestId, clientToken } = await client.start({ audience, method: "physical" });
    assert(clientToken);
    await assert.rejects(client.wait(requestId, 0), DeadlineError);
    assert.equal((await client.get(requestId)).status, "pending");

    await client.cancel(requestId);

    await assert.rejects(client.wait(requestId, 60), NotAuthenticated);
    await assert.rejects(client.cancel(requestId), { name: "ProblemError", kind: "terminal_request" });
});
