// What a call is given and answered, by the types of the generated layer.

export type Method = "get" | "post" | "patch" | "delete";

export interface CallOptions {
    /** A key of your own, in place of one that is made for the call. */
    idempotencyKey?: string;
    /** Gives the call up, and its repetitions. */
    signal?: AbortSignal;
}

/** The addresses at which an API has an operation with a method. */
export type PathOf<Paths, M extends Method> = {
    [P in keyof Paths]: Paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof Paths] &
    string;

type Operation<Paths, P extends keyof Paths, M extends Method> =
    Paths[P] extends Record<M, infer O> ? O : never;
type Json<T> = { content: { "application/json": T } };
type BodyOf<O> = O extends { requestBody: Json<infer T> }
    ? { body: T }
    : O extends { requestBody?: Json<infer T> }
      ? { body?: T }
      : unknown;
type ParametersOf<O> = O extends { parameters: infer P }
    ? (P extends { path: infer T } ? { path: T } : unknown) &
          (P extends { query: infer T } ? { query: T } : P extends { query?: infer T } ? { query?: T } : unknown)
    : unknown;

/** What a call is given. */
export type Call<Paths, P extends keyof Paths, M extends Method> = CallOptions &
    ParametersOf<Operation<Paths, P, M>> &
    BodyOf<Operation<Paths, P, M>>;
/** What a call is answered. */
export type Answer<Paths, P extends keyof Paths, M extends Method> =
    Operation<Paths, P, M> extends { responses: infer R }
        ? R[Extract<keyof R, 200 | 201 | 202 | 204>] extends Json<infer T> ? T : undefined
        : never;
