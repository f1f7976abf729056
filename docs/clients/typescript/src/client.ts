// What the clients of all three APIs share: calls, repetitions, waiting, downloads.

import { createHash, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import type { Answer, Call, CallOptions, Method, PathOf } from "./calls.js";
import { ProblemError } from "./problems.js";

/** What passes time, in milliseconds. */
export interface Clock {
    now(): number;
    sleep(milliseconds: number, signal?: AbortSignal): Promise<unknown>;
}

export interface Options {
    /** For how many seconds a request is made again; 60 unless given. */
    retryFor?: number;
    /** How many seconds one request may take; 90 unless given. */
    timeout?: number;
    /** What makes requests; the platform's `fetch` unless given. */
    fetch?: typeof globalThis.fetch;
    clock?: Clock;
}

interface Members extends CallOptions {
    path?: Record<string, string>;
    query?: Record<string, unknown>;
    body?: unknown;
}

const CLOCK: Clock = {
    now: () => performance.now(),
    sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};

/** What came is not what the service said that it sends. */
export class DigestMismatch extends Error {
    override name = "DigestMismatch";
}

/** What was waited for was not over in time. */
export class DeadlineError extends Error {
    override name = "DeadlineError";
}

/**
 * Calls the operations of one API, whose types are in the generated layer.
 *
 * Raises refusals as `ProblemError`, and makes requests again where that is safe and can help. 503 and
 * 429 are waited out for as long as Retry-After says, and so is 409 where an earlier request with the
 * same Idempotency-Key is still running. A connection that breaks is tried again where a repetition
 * does nothing twice. After `retryFor` seconds, or where Retry-After is longer than what is left of
 * them, the refusal is raised.
 */
export class Client<Paths> {
    readonly #baseUrl: string;
    readonly #authorization: string;
    readonly #keyed: readonly string[];
    readonly #options: Required<Options>;

    /** `keyed` are the calls that take an Idempotency-Key, such as `post /v1/signings`. */
    constructor(
        baseUrl: string,
        authorization: string,
        keyed: readonly string[],
        { retryFor = 60, timeout = 90, fetch = globalThis.fetch, clock = CLOCK }: Options = {},
    ) {
        this.#baseUrl = baseUrl.replace(/\/+$/, "");
        this.#authorization = authorization;
        this.#keyed = keyed;
        this.#options = { retryFor, timeout, fetch, clock };
    }

    /** What an operation answers: `call("post", "/v1/signings", { body })`. */
    call<M extends Method, P extends PathOf<Paths, M>>(
        method: M,
        path: P,
        ...given: object extends Call<Paths, P, M> ? [Call<Paths, P, M>?] : [Call<Paths, P, M>]
    ): Promise<Answer<Paths, P, M>> {
        return this.read(method, path, given[0] as Members | undefined, async (response) =>
            response.status === 204 ? undefined : response.json(),
        ) as Promise<Answer<Paths, P, M>>;
    }

    /** The same, read by somebody else than a reader of JSON. An answer that is lost while it is read
     * is asked for again. */
    protected async read<T>(
        method: Method,
        template: string,
        { path = {}, query = {}, body, idempotencyKey, signal }: Members = {},
        reader: (response: Response) => Promise<T>,
    ): Promise<T> {
        const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
            const value = path[name];
            // An empty one would lead to another operation.
            if (!value) throw new TypeError(`${template} needs ${name}`);
            return encodeURIComponent(value);
        });
        const url = new URL(this.#baseUrl + filled);
        for (const [name, value] of Object.entries(query)) {
            if (value !== undefined) url.searchParams.set(name, String(value));
        }
        const isKeyed = this.#keyed.includes(`${method} ${template}`);
        const key = idempotencyKey ?? (isKeyed ? randomUUID() : undefined);
        const headers = new Headers({ Authorization: this.#authorization });
        if (body !== undefined) headers.set("Content-Type", "application/json");
        if (key !== undefined) headers.set("Idempotency-Key", key);
        const init = { method: method.toUpperCase(), headers, body: JSON.stringify(body) };

        const { clock, fetch, retryFor, timeout } = this.#options;
        const isRepeatable = method === "get" || key !== undefined;
        const giveUp = clock.now() + 1000 * retryFor;
        for (let pause = 500; ; pause = Math.min(2 * pause, 8000)) {
            let wait: number | undefined;
            let refusal: unknown;
            try {
                const late = AbortSignal.timeout(1000 * timeout);
                const ends = signal ? AbortSignal.any([late, signal]) : late;
                const response = await fetch(url, { ...init, redirect: "manual", signal: ends });
                if (response.ok) return await reader(response);
                const problem = new ProblemError(response, await response.text());
                wait = waitAfter(problem, isRepeatable, key !== undefined);
                refusal = problem;
            } catch (lost) {
                signal?.throwIfAborted();
                if (isRepeatable && isLost(lost)) wait = 0;
                refusal = lost;
            }
            if (wait === undefined) throw refusal;
            wait = Math.max(wait, pause * (0.5 + Math.random() / 2));
            if (clock.now() + wait > giveUp) throw refusal;
            await clock.sleep(wait, signal);
        }
    }

    /** A document, held against the digest that the service tells of it. */
    protected document(template: string, path: Record<string, string>): Promise<Buffer> {
        return this.read("get", template, { path }, async (response) => {
            const content = Buffer.from(await response.arrayBuffer());
            const digest = createHash("sha256").update(content).digest("hex");
            if (response.headers.get("x-service-document-sha256") === digest) return content;
            throw new DigestMismatch(`${template} has another digest than was told`);
        });
    }

    /** Reads until something is over, ever more seldom; `DeadlineError` after `timeout` seconds.
     * `read` is told for how many milliseconds it may wait; where it waits at the service no `pause`
     * is needed. */
    protected async poll<T>(
        read: (left: number) => Promise<T>,
        isOver: (now: T) => boolean,
        timeout: number,
        signal?: AbortSignal,
        pause = 250,
    ): Promise<T> {
        const { clock } = this.#options;
        const giveUp = clock.now() + 1000 * timeout;
        for (; ; pause = Math.min(pause * 1.5, 15_000)) {
            const left = Math.max(0, giveUp - clock.now());
            const now = await read(left);
            if (isOver(now)) return now;
            if (left === 0) throw new DeadlineError(`it was not over in ${timeout} s`);
            await clock.sleep(Math.min(pause, left), signal);
        }
    }
}

/**
 * After how many milliseconds a refused request may be made again; none where that does not help.
 *
 * A 503 without Retry-After is not this service's, so that the request may have been carried out.
 */
function waitAfter(
    { status, retryAfter }: ProblemError,
    isRepeatable: boolean,
    hasKey: boolean,
): number | undefined {
    if (retryAfter === undefined) return status === 503 && isRepeatable ? 0 : undefined;
    const mayPass = status === 429 || status === 503 || (status === 409 && hasKey);
    return mayPass ? 1000 * retryAfter : undefined;
}

/** Whether it is what `fetch` throws of a connection. */
function isLost(error: unknown): boolean {
    return error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError");
}
