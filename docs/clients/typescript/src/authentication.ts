// Persons who authenticate with their eID.

import { createHash } from "node:crypto";

import { keyed, type components, type paths } from "./api/authentication.js";
import { Client, type Options } from "./client.js";

export type Authentication = components["schemas"]["Authentication"];
export type CreateAuthenticationRequest = components["schemas"]["CreateAuthenticationRequest"];
export type CreatedAuthentication = components["schemas"]["CreatedAuthentication"];
/** A request by which a person has authenticated. */
export type Authenticated = Authentication & Required<Pick<Authentication, "cert">>;

/** For how many milliseconds one reading may wait at the service. */
const LONGEST_WAIT = 30_000;
const UNDER_WAY: readonly Authentication["status"][] = ["pending", "certificate_received", "in_progress"];

/** A request ended, and nobody has authenticated by it. */
export class NotAuthenticated extends Error {
    override name = "NotAuthenticated";

    constructor(readonly ended: Authentication) {
        const why = ended.error ? ` (${ended.error.code}: ${ended.error.message})` : "";
        super(`the request is ${ended.status}${why}`);
    }
}

/** The authentication API, with the key of a provider. A key is for backends, not for pages. */
export class AuthenticationClient extends Client<paths> {
    constructor(baseUrl: string, keyId: string, keySecret: string, options?: Options) {
        const credentials = Buffer.from(`${keyId}:${keySecret}`).toString("base64");
        super(baseUrl, `Basic ${credentials}`, keyed, options);
    }

    /** Begins a request. Keep its id in the session of the browser that it is for: nobody is to be
     * let in by a request that another browser began. */
    start(request: CreateAuthenticationRequest): Promise<CreatedAuthentication> {
        return this.call("post", "/v1/auth/requests", { body: request });
    }

    /** The status of a request. For the code of a device link, read each second and show the latest:
     * `get(requestId, 1000)`. */
    get(requestId: string, waitMs = 0, signal?: AbortSignal): Promise<Authentication> {
        const query = { waitMs };
        return this.call("get", "/v1/auth/requests/{requestId}", { path: { requestId }, query, signal });
    }

    /** Waits until the person has authenticated: `cert.subject` is who. `NotAuthenticated` where
     * the request ends otherwise, `DeadlineError` after `timeout` seconds. */
    async wait(requestId: string, timeout: number, signal?: AbortSignal): Promise<Authenticated> {
        const read = (left: number) => this.get(requestId, Math.floor(Math.min(left, LONGEST_WAIT)), signal);
        const isOver = ({ status }: Authentication) => !UNDER_WAY.includes(status);
        const ended = await this.poll(read, isOver, timeout, signal, 0);
        if (ended.status !== "completed" || !ended.cert) throw new NotAuthenticated(ended);
        return { ...ended, cert: ended.cert };
    }

    async cancel(requestId: string): Promise<void> {
        await this.call("delete", "/v1/auth/requests/{requestId}", { path: { requestId } });
    }
}

/** What a card signs: the SHA-256 of the data to be signed, hashed once, whatever the key's curve.
 * It goes to a function of the card that takes a digest; one that hashes gets the data. */
export function digestForCard(dtbs: string): Buffer {
    return createHash("sha256").update(Buffer.from(dtbs, "base64")).digest();
}
