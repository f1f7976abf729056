// What the clients of all three APIs share: calls, waiting, downloads.

import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";

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
type BodyOf<O> = O extends { requestBody: { content: { "application/json": infer T } } }
    ? { body: T }
    : O extends { requestBody?: { content: { "application/json": infer T } } }
      ? { body?: T }
      : unknown;
type ParametersOf<O> = O extends { parameters: infer P }
    ? (P extends { path: infer T } ? { path: T } : unknown) &
          (P extends { query: infer T } ? { query: T } : P extends { query?: infer T } ? { query?: T } : unknown)
    : unknown;

/** What a call is given. */
export type Call<Paths, P extends keyof Paths, M extends Method> = ParametersOf<Operation<Paths, P, M>> &
    BodyOf<Operation<Paths, P, M>> & {
        /** A key of your own, in place of one that is made for the call. */
        idempotencyKey?: string;
    };
/** What a call is answered. */
export type Answer<Paths, P extends keyof Paths, M extends Method> =
    Operation<Paths, P, M> extends { responses: infer R }
        ? Json<R[Extract<keyof R, 200 | 201 | 202 | 204>]>
        : never;

type HeaderOf<O> = O extends { parameters: { header?: infer H } } ? keyof NonNullable<H> : never;
/** The calls that take an Idempotency-Key, such as `post /v1/signings`. */
export type Keyed<Paths> = {
    [M in Method]: {
        [P in PathOf<Paths, M>]: "Idempotency-Key" extends HeaderOf<Operation<Paths, P, M>>
            ? `${M} ${P}`
            : never;
    }[PathOf<Paths, M>];
}[Method];

interface Members {
    path?: Record<string, string>;
    query?: Record<string, unknown>;
    body?: unknown;
    idempotencyKey?: string;
}

/** What came is not what the service said that it sends. */
export class DigestMismatch extends Error {
    override name = "DigestMismatch";
}

/** What was waited for was not over in time. */
export class DeadlineError extends Error {
    override name = "DeadlineError";
}

/** The longest pause between two looks at something that is waited for, in milliseconds. */
const LONGEST_PAUSE = 15_000;

/** Calls the operations of one API, whose types are in the generated layer. */
export class Client<Paths> {
    readonly connection: Connection;
    readonly #keyed: ReadonlySet<string>;

    constructor(
        baseUrl: string,
        authorization: string,
        keyed: Record<Keyed<Paths>, true>,
        options: Options = {},
    ) {
        this.connection = new Connection(baseUrl, authorization, options);
        this.#keyed = new Set(Object.keys(keyed));
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
        { path, query, body, idempotencyKey }: Members = {},
        reader: (response: Response) => Promise<T>,
    ): Promise<T> {
        const given = path ?? {};
        const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
            const value = given[name];
            // An empty one would lead to another operation.
            if (!value) throw new TypeError(`${template} needs ${name}`);
            return encodeURIComponent(value);
        });
        const isKeyed = this.#keyed.has(`${method} ${template}`);
        const key = idempotencyKey ?? (isKeyed ? randomUUID() : undefined);
        return this.connection.send({ method, path: filled, query, body, idempotencyKey: key }, reader);
    }

    /** Writes a document to a file, which is there once all of it is, and as the service sent it;
     * its SHA-256 in hexadecimal digits. */
    protected save(template: string, path: Record<string, string>, target: string): Promise<string> {
        return this.read("get", template, { path }, async (response) => {
            const part = `${target}.part`;
            const hash = createHash("sha256");
            const hashing = new Transform({
                transform(piece: Buffer, _, done) {
                    hash.update(piece);
                    done(null, piece);
                },
            });
            try {
                const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
                await pipeline(body, hashing, createWriteStream(part));
                const digest = hash.digest("hex");
                if (response.headers.get("x-service-document-sha256") !== digest) {
                    throw new DigestMismatch(`${template} has another digest than was told`);
                }
                await rename(part, target);
                return digest;
            } finally {
                await rm(part, { force: true });
            }
        });
    }

    /** Reads until something is over, ever more seldom; `DeadlineError` after as many seconds. */
    protected async poll<T>(
        read: () => Promise<T>,
        isOver: (now: T) => boolean,
        timeout: number,
    ): Promise<T> {
        const { clock } = this.connection;
        const giveUp = clock.now() + 1000 * timeout;
        for (let pause = 250; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE)) {
            const now = await read();
            if (isOver(now)) return now;
            const left = giveUp - clock.now();
            if (left <= 0) throw new DeadlineError(`it was not over in ${timeout} s`);
            await clock.sleep(Math.min(pause, left));
        }
    }
}
