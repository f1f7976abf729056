// Documents that people sign.

import { readFile } from "node:fs/promises";
import { basename } from "node:path";

import type { components, paths } from "./api/signing.js";
import { Client } from "./client.js";
import type { Options } from "./connection.js";

export type Signing = components["schemas"]["Signing"];
export type CreateSigningRequest = components["schemas"]["CreateSigningRequest"];
export type SigningEvent = components["schemas"]["SigningEvent"];

/** The signing API, with a key of a workspace. */
export class SigningClient extends Client<paths> {
    constructor(baseUrl: string, key: string, options?: Options) {
        super(baseUrl, `Bearer ${key}`, {
            "post /v1/signings": true,
            "post /v1/signings/{signingId}/signers": true,
            "post /v1/signings/{signingId}/comments": true,
            "post /v1/batches": true,
            "post /v1/files": true,
        }, options);
    }

    /**
     * Asks people to sign. The answer has the address of each signer's page.
     *
     * A key of your own, kept with what the signing is for, lets a program that was restarted ask
     * again without asking twice.
     */
    create(request: CreateSigningRequest, idempotencyKey?: string): Promise<Signing> {
        return this.call("post", "/v1/signings", { body: request, idempotencyKey });
    }

    get(signingId: string): Promise<Signing> {
        return this.call("get", "/v1/signings/{signingId}", { path: { signingId } });
    }

    /** Reads until nobody can sign any more, whether all have signed or not: `status` tells.
     * `DeadlineError` after `timeout` seconds. A webhook tells sooner, and costs no requests. */
    wait(signingId: string, timeout: number): Promise<Signing> {
        return this.poll(() => this.get(signingId), ({ status }) => status !== "pending", timeout);
    }

    /** Writes the newest signed document to a file; its SHA-256 in hexadecimal digits. */
    download(signingId: string, target: string): Promise<string> {
        return this.save("/v1/signings/{signingId}/document", { signingId }, target);
    }
}

/** A file as a document to be signed. */
export async function document(path: string): Promise<{ name: string; content: string }> {
    return { name: basename(path), content: await readFile(path, "base64") };
}
