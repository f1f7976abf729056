// Documents that people sign.

import { readFile } from "node:fs/promises";
import { basename } from "node:path";

import { keyed, type components, type paths } from "./api/signing.js";
import type { CallOptions } from "./calls.js";
import { Client, type Options } from "./client.js";

export type Signing = components["schemas"]["Signing"];
export type CreateSigningRequest = components["schemas"]["CreateSigningRequest"];
export type SigningEvent = components["schemas"]["SigningEvent"];

/** The signing API, with a key of a workspace. */
export class SigningClient extends Client<paths> {
    constructor(baseUrl: string, key: string, options?: Options) {
        super(baseUrl, `Bearer ${key}`, keyed, options);
    }

    /**
     * Asks people to sign. The answer has the address of each signer's page.
     *
     * A key of your own, kept with what the signing is for, lets a program that was restarted ask
     * again without asking twice.
     */
    create(request: CreateSigningRequest, options?: CallOptions): Promise<Signing> {
        return this.call("post", "/v1/signings", { body: request, ...options });
    }

    get(signingId: string, signal?: AbortSignal): Promise<Signing> {
        return this.call("get", "/v1/signings/{signingId}", { path: { signingId }, signal });
    }

    /** Reads until nobody can sign any more, whether all have signed or not: `status` tells.
     * `DeadlineError` after `timeout` seconds. A webhook tells sooner, and costs no requests. */
    wait(signingId: string, timeout: number, signal?: AbortSignal): Promise<Signing> {
        const isOver = ({ status }: Signing) => status !== "pending";
        return this.poll(() => this.get(signingId, signal), isOver, timeout, signal);
    }

    /** The newest signed document. */
    download(signingId: string): Promise<Buffer> {
        return this.document("/v1/signings/{signingId}/document", { signingId });
    }
}

/** A file as a document to be signed. */
export async function document(path: string): Promise<{ name: string; content: string }> {
    return { name: basename(path), content: await readFile(path, "base64") };
}
