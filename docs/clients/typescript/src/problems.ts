// What the APIs refuse, as errors.

/** A fault of a request. */
export interface Fault {
    /** Where: a JSON Pointer (RFC 6901) into the body or the query. */
    pointer: string;
    /** What is wrong there. */
    detail: string;
}

/** A refusal: a problem document (RFC 9457), or the error envelope of the authentication API. */
export class ProblemError extends Error {
    override name = "ProblemError";
    readonly status: number;
    /** The address of a page on this kind of problem. */
    readonly type: string;
    /** The kind in short: the end of `type`, or `code` of the envelope. */
    readonly kind: string;
    readonly title: string;
    readonly detail: string;
    /** All faults of the request, in the order of the request. */
    readonly errors: readonly Fault[];
    /** A page on which a person can settle what is due. */
    readonly recoveryUrl?: string;
    /** Seconds to wait before trying again. */
    readonly retryAfter?: number;
    /** Ties the refusal to the service's log. */
    readonly requestId?: string;

    constructor(response: Response, body: string) {
        const told = members(body);
        // Only the authentication API has the envelope.
        const type = String((!told.error && told.type) || "about:blank");
        const title = String(told.error?.code ?? told.title ?? response.statusText);
        const kind = type === "about:blank" ? title : type.slice(type.lastIndexOf("/") + 1);
        const detail = String(told.error?.message ?? told.detail ?? body.slice(0, 200));
        const errors = Array.isArray(told.errors) ? told.errors : [];
        const every = errors.map((fault) => `; ${fault?.pointer}: ${fault?.detail}`);
        super(`${response.status} ${kind}: ${detail}${every.join("")}`);
        this.status = response.status;
        this.type = type;
        this.kind = kind;
        this.title = title;
        this.detail = detail;
        this.errors = errors;
        this.recoveryUrl = told.recoveryUrl;
        const after = response.headers.get("retry-after") ?? "";
        this.retryAfter = /^[0-9]+$/.test(after) ? Number(after) : undefined;
        this.requestId = response.headers.get("x-request-id") ?? undefined;
    }
}

interface Told {
    type?: string;
    title?: string;
    detail?: string;
    errors?: Fault[];
    recoveryUrl?: string;
    error?: { code: string; message: string };
}

/** The members of a JSON object; none of what something between here and the service said. */
function members(body: string): Told {
    try {
        const told: unknown = JSON.parse(body);
        return typeof told === "object" && told !== null ? told : {};
    } catch {
        return {};
    }
}
