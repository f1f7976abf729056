// Requests, and when they are made again.

import { setTimeout as sleep } from "node:timers/promises";

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

export interface Request {
    method: string;
    path: string;
    query?: Record<string, unknown>;
    body?: unknown;
    /** Tells repetitions of this request from others. */
    idempotencyKey?: string;
    /** Gives the request up, and its repetitions. */
    signal?: AbortSignal;
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
    readonly #authorization: string;
    readonly #fetch: typeof globalThis.fetch;
    readonly #retryFor: number;
    readonly #timeout: number;

    constructor(readonly baseUrl: string, authorization: string, options: Options) {
        this.clock = options.clock ?? {
            now: () => performance.now(),
            sleep: (time, signal) => sleep(time, undefined, { signal }),
        };
        this.#authorization = authorization;
        this.#fetch = options.fetch ?? globalThis.fetch;
        this.#retryFor = 1000 * (options.retryFor ?? 60);
        this.#timeout = 1000 * (options.timeout ?? 90);
    }

    /** Makes a request, and has `read` read the answer: one that is lost on the way is asked for
     * again. */
    async send<T>(request: Request, read: (response: Response) => Promise<T>): Promise<T> {
        const [url, init] = this.#prepared(request);
        const giveUp = this.clock.now() + this.#retryFor;
        for (let pause = 500; ; pause = Math.min(2 * pause, 8000)) {
            let wait: number | undefined;
            let refusal: unknown;
            try {
                const signals = [AbortSignal.timeout(this.#timeout), ...(request.signal ? [request.signal] : [])];
                const response = await this.#fetch(url, { ...init, signal: AbortSignal.any(signals) });
                if (response.ok) return await read(response);
                const problem = new ProblemError(response, await response.text());
                wait = waitAfter(problem, request);
                refusal = problem;
            } catch (lost) {
                request.signal?.throwIfAborted();
                if (isLost(lost) && isRepeatable(request)) wait = 0;
                refusal = lost;
            }
            if (wait === undefined) throw refusal;
            wait = Math.max(wait, pause * (0.5 + Math.random() / 2));
            if (this.clock.now() + wait > giveUp) throw refusal;
            await this.clock.sleep(wait, request.signal);
        }
    }

    #prepared({ method, path, query, body, idempotencyKey }: Request): [URL, RequestInit] {
        const url = new URL(this.baseUrl.replace(/\/+$/, "") + path);
        for (const [name, value] of Object.entries(query ?? {})) {
            if (value !== undefined) url.searchParams.set(name, String(value));
        }
        const headers = new Headers({ Authorization: this.#authorization });
        if (body !== undefined) headers.set("Content-Type", "application/json");
        if (idempotencyKey) headers.set("Idempotency-Key", idempotencyKey);
        const text = body === undefined ? undefined : JSON.stringify(body);
        return [url, { method: method.toUpperCase(), headers, body: text, redirect: "manual" }];
    }
}

/**
 * After how many milliseconds a refused request may be made again; none where that does not help.
 *
 * A 503 without Retry-After is not this service's, so that the request may have been carried out.
 */
function waitAfter({ status, retryAfter }: ProblemError, request: Request): number | undefined {
    if (status === 503 && retryAfter === undefined) return isRepeatable(request) ? 0 : undefined;
    const mayPass = status === 429 || status === 503 || (status === 409 && request.idempotencyKey);
    return mayPass && retryAfter !== undefined ? 1000 * retryAfter : undefined;
}

function isRepeatable(request: Request): boolean {
    return request.method === "get" || request.idempotencyKey !== undefined;
}

/** Whether it is what `fetch` throws of a connection. */
function isLost(error: unknown): boolean {
    return error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError");
}
