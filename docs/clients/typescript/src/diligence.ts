// What registers hold of legal entities, and packages that identify who acts for them.

import { verifyAnswer, type SignedAnswer, type Trust } from "./answers.js";
import { keyed, type components, type paths } from "./api/diligence.js";
import type { Call } from "./calls.js";
import { Client, type Options } from "./client.js";

export type KycOrder = components["schemas"]["KycOrder"];
export type CreateKycPackageRequest = components["schemas"]["CreateKycPackageRequest"];
export type KycEvent = components["schemas"]["KycEvent"];

/** Where questions are asked. */
export type Question = Extract<keyof paths, `/v1/entities/${string}` | `/v1/real-estate/${string}`>;

/**
 * The due-diligence API, with a key of a workspace.
 *
 * Questions are asked by `call`: `call("get", "/v1/entities/{code}", { path: { code } })`. Each gets
 * a key by which a repetition is not charged again.
 */
export class DiligenceClient extends Client<paths> {
    constructor(baseUrl: string, key: string, options?: Options) {
        super(baseUrl, `Bearer ${key}`, keyed, options);
    }

    /** An answer with the attorney's signature, which is verified: see `verifyAnswer`. */
    async askSigned<P extends Question>(
        question: P,
        call: Call<paths, P, "get"> & { path: object; query?: object },
        trust: Trust,
        sign: components["schemas"]["SignatureTier"] = "jades-t",
    ): Promise<SignedAnswer> {
        const given = { ...call, path: { ...call.path }, query: { ...call.query, sign } };
        const document = await this.read("get", question, given, (response) => response.text());
        return verifyAnswer(document, trust);
    }

    /** Orders an identification package. The answer has the address of the subject's page. */
    order(request: CreateKycPackageRequest): Promise<KycOrder> {
        return this.call("post", "/v1/kyc-packages", { body: request });
    }

    getOrder(orderId: string, signal?: AbortSignal): Promise<KycOrder> {
        return this.call("get", "/v1/kyc-packages/{orderId}", { path: { orderId }, signal });
    }

    /** Reads until an order is delivered or has come to nothing: `status` tells. `DeadlineError`
     * after `timeout` seconds. */
    waitForOrder(orderId: string, timeout: number, signal?: AbortSignal): Promise<KycOrder> {
        const isOver = ({ status }: KycOrder) => status !== "awaiting_subject" && status !== "verifying";
        return this.poll(() => this.getOrder(orderId, signal), isOver, timeout, signal);
    }

    /** A package's container. */
    downloadEvidence(orderId: string): Promise<Buffer> {
        return this.document("/v1/kyc-packages/{orderId}/artifact", { orderId });
    }
}
