// What the clients of all three APIs share: calls, waiting, downloads.

import { createHash, randomUUID } from "node:crypto";

import { Connection, type Options } from "./connection.js";

export type Method = "get" | "post" | "patch" | "delete";

/** The addresses at which an API has an operation with a method. */
export type PathOf<Paths, M extends Method> = {
    [P in keyof Paths]: Paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof Paths] &
    string;

type Operation<Paths, P extends keyof Paths, M extends Method> =
    Paths[P] extends Record<M, infer O> ? O : never;
type Json<A> = A extends { content: { "application/json": infer T } } ? T : undefined;
/** A member of something, as optional as it is there. */
type Part<O, K extends PropertyKey> = O extends { [N in K]: infer T }
    ? { [N in K]: T }
    : O extends { [N in K]?: infer T }
      ? { [N in K]?: T }
      : unknown;
type Posted<T> = { content: { "application/json": T } };
type BodyOf<O> = O extends { requestBody: Posted<infer T> }
    ? { body: T }
    : O extends { requestBody?: Posted<infer T> }
      ? { body?: T }
      : unknown;

export interface CallOptions {
    /** A key of your own, in place of one that is made for the call. */
    idempotencyKey?: string;
    /** Gives the call up. */
    signal?: AbortSignal;
}
/** What a call is given. */
export type Call<Paths, P extends keyof Paths, M extends Method> = CallOptions &
    BodyOf<Operation<Paths, P, M>> &
    (Operation<Paths, P, M> extends { parameters: infer A } ? Part<A, "path"> & Part<A, "query"> : unknown);
/** What a call is answered. */
export type Answer<Paths, P extends keyof Paths, M extends Method> =
    Operation<Paths, P, M> extends { responses: infer R }
        ? Json<R[Extract<keyof R, 200 | 201 | 202 | 204>]>
        : never;

interface Members extends CallOptions {
    path?: Record<string, string>;
    query?: Record<string, unknown>;
    body?: unknown;
}

/** What came is not what the service said that it sends. */
export class DigestMismatch extends Error {
    override name = "DigestMismatch";
}

/** What was waited for was not over in time. */
export class DeadlineError extends Error {
    override name = "DeadlineError";
}

/** Calls the operations of one API, whose types are in the generated layer. */
export class Client<Paths> {
    readonly #connection: Connection;
    readonly #clock: Connection["clock"];
    readonly #keyed: readonly string[];

    /** `keyed` are the calls that take an Idempotency-Key, such as `post /v1/signings`. */
    constructor(baseUrl: string, authorization: string, keyed: readonly string[], options: Options = {}) {
        this.#connection = new Connection(baseUrl, authorization, options);
        this.#clock = this.#connection.clock;
        this.#keyed = keyed;
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

    /** The same, read by somebody else than a reader of JSON. */
    protected async read<T>(
        method: Method,
        template: string,
        { path = {}, idempotencyKey, ...members }: Members = {},
        reader: (response: Response) => Promise<T>,
    ): Promise<T> {
        const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
            const value = path[name];
            // An empty one would lead to another operation.
            if (!value) throw new TypeError(`${template} needs ${name}`);
            return encodeURIComponent(value);
        });
        const isKeyed = this.#keyed.includes(`${method} ${template}`);
        const key = idempotencyKey ?? (isKeyed ? randomUUID() : undefined);
        const request = { method, path: filled, idempotencyKey: key, ...members };
        return this.#connection.send(request, reader);
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
     * `read` is told for how many milliseconds it may wait; where it waits at the service no
     * `pause` is needed. */
    protected async poll<T>(
        read: (left: number) => Promise<T>,
        isOver: (now: T) => boolean,
        timeout: number,
        signal?: AbortSignal,
        pause = 250,
    ): Promise<T> {
        const giveUp = this.#clock.now() + 1000 * timeout;
        for (; ; pause = Math.min(pause * 1.5, 15_000)) {
            const left = Math.max(0, giveUp - this.#clock.now());
            const now = await read(left);
            if (isOver(now)) return now;
            if (left === 0) throw new DeadlineError(`it was not over in ${timeout} s`);
            await this.#clock.sleep(Math.min(pause, left), signal);
        }
    }
}
