// Requests, and when they are made again.

import { setTimeout as sleep } from "node:timers/promises";

import { ProblemError } from "./problems.js";

/** What passes time. */
export interface Clock {
    /** Milliseconds since some moment. */
    now(): number;
    sleep(milliseconds: number): Promise<unknown>;
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

export interface Request {
    method: string;
    path: string;
    query?: Record<string, unknown>;
    body?: unknown;
    /** Tells repetitions of this request from others. */
    idempotencyKey?: string;
}

/**
 * Raises refusals as `ProblemError`, and makes requests again where that is safe and can help.
 *
 * 503 and 429 are waited out for as long as Retry-After says, and so is 409 where an earlier request
 * with the same Idempotency-Key is still running. A connection that breaks is tried again where a
 * repetition does nothing twice. After `retryFor` seconds, or where Retry-After is longer than what
 * is left of them, the refusal is raised.
 */
export class Connection {
    readonly clock: Clock;
    readonly #fetch: typeof globalThis.fetch;
    readonly #retryFor: number;
    readonly #timeout: number;

    constructor(
        readonly baseUrl: string,
        readonly authorization: string,
        options: Options,
    ) {
        this.clock = options.clock ?? { now: () => performance.now(), sleep: (time) => sleep(time) };
        this.#fetch = options.fetch ?? globalThis.fetch;
        this.#retryFor = 1000 * (options.retryFor ?? 60);
        this.#timeout = 1000 * (options.timeout ?? 90);
    }

    /** Makes a request, and has `read` read the answer: an answer that is lost on the way is asked
     * for again. */
    async send<T>(request: Request, read: (response: Response) => Promise<T>): Promise<T> {
        const [url, init] = this.#prepared(request);
        const giveUp = this.clock.now() + this.#retryFor;
        for (let attempt = 0; ; attempt++) {
            const longest = Math.min(500 * 2 ** attempt, 8000);
            let pause: number | undefined = longest * (0.5 + Math.random() / 2);
            let refusal: unknown;
            try {
                const signal = AbortSignal.timeout(this.#timeout);
                const response = await this.#fetch(url, { ...init, signal });
                if (response.ok) return await read(response);
                const problem = new ProblemError(response, await response.text());
                pause = pauseAfter(problem, request, pause);
                refusal = problem;
            } catch (lost) {
                // What `fetch` throws of a connection; what `read` refuses is no such thing.
                if (!isLost(lost) || !isRepeatable(request)) pause = undefined;
                refusal = lost;
            }
            if (pause === undefined || this.clock.now() + pause > giveUp) throw refusal;
            await this.clock.sleep(pause);
        }
    }

    #prepared({ method, path, query, body, idempotencyKey }: Request): [URL, RequestInit] {
        const url = new URL(this.baseUrl.replace(/\/+$/, "") + path);
        for (const [name, value] of Object.entries(query ?? {})) {
            if (value !== undefined) url.searchParams.set(name, String(value));
        }
        const headers = new Headers({ Authorization: this.authorization });
        if (body !== undefined) headers.set("Content-Type", "application/json");
        if (idempotencyKey) headers.set("Idempotency-Key", idempotencyKey);
        const text = body === undefined ? undefined : JSON.stringify(body);
        return [url, { method: method.toUpperCase(), headers, body: text, redirect: "manual" }];
    }
}

/** How long to wait before a refused request is made again; none where that does not help. */
function pauseAfter(problem: ProblemError, request: Request, longest: number): number | undefined {
    const { status, retryAfter } = problem;
    if (status === 503 && retryAfter === undefined) return longest;
    const mayPass = status === 429 || status === 503 || (status === 409 && request.idempotencyKey);
    return mayPass && retryAfter !== undefined ? 1000 * retryAfter : undefined;
}

function isRepeatable(request: Request): boolean {
    return request.method === "get" || request.idempotencyKey !== undefined;
}

function isLost(error: unknown): boolean {
    return error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError");
}
