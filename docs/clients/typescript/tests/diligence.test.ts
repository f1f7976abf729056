import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { DiligenceClient, SignatureError, verifyAnswer, type Trust } from "parafa";

import { demo } from "./world.js";

const { baseUrl, diligence, world } = demo();
const client = new DiligenceClient(baseUrl, diligence.test);
const trust: Trust = {
    roots: world.roots.map((root) => readFileSync(root, "utf8")),
    signer: "PNOLT-37506150439",
};

test("a report tells by the status of each section whether it has data", async () => {
    const counts: number[] = [];
    for (const code of ["999000138", "999000088"]) {
        const query = { purpose: "AML_KYC" } as const;
        const report = await client.call("get", "/v1/entities/{code}/dd-report", { path: { code }, query });
        const { seizures } = report.data.sections;
        counts.push(seizures.status === "ok" ? seizures.data.acts.length : 0);
    }
    assert.deepEqual(counts, [200, 0]);
});

test("what a register does not hold is a problem of its own kind", async () => {
    const call = client.call("get", "/v1/entities/{code}/cases", { path: { code: "999000088" } });
    await assert.rejects(call, { name: "ProblemError", kind: "no-data", status: 404 });
});

test("a signed answer is the attorney's or nobody's", async () => {
    const live = new DiligenceClient(baseUrl, diligence.live);

    const path = { code: "999000009" };
    const { answer, document } = await live.askSigned("/v1/entities/{code}", { path }, trust);

    assert.equal(answer.entityCode, "999000009");
    assert("attestation" in answer);
    const jws = JSON.parse(document);
    const forged = JSON.stringify({ ...jws, payload: `${jws.payload.slice(0, -4)}AAAA` });
    for (const [what, changes] of [
        [forged, {}],
        ["{}", {}],
        [document, { signer: "PNOLT-40504040001" }],
        [document, { roots: [] }],
        [document, { at: new Date(0) }],
    ] as const) {
        assert.throws(() => verifyAnswer(what, { ...trust, ...changes }), SignatureError);
    }
});

test("a package is ordered, waited for and downloaded", async () => {
    const ordered = await client.order({
        entityCode: "999000009",
        subjectRole: "manager",
        purpose: "OTHER",
    });
    assert.equal(ordered.status, "awaiting_subject");

    const path = { orderId: ordered.orderId };
    const body = { action: "complete" } as const;
    await client.call("post", "/v1/kyc-packages/{orderId}/simulate", { path, body });
    const delivered = await client.waitForOrder(ordered.orderId, 60);

    assert.equal(delivered.status, "delivered");
    const evidence = await client.downloadEvidence(ordered.orderId);
    const digest = createHash("sha256").update(evidence).digest("hex");
    assert.equal(digest, delivered.artifact?.sha256);
});
