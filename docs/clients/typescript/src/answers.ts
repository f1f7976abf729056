// Signed answers of the due-diligence API.

import { createHash, verify, X509Certificate } from "node:crypto";

const ALGORITHMS = new Map<unknown, { hash: string; key: string }>([
    ["RS256", { hash: "sha256", key: "rsa" }],
    ["ES256", { hash: "sha256", key: "ec" }],
    ["ES384", { hash: "sha384", key: "ec" }],
]);
/** Members of the protected header that would have something else signed than what is inside. */
const NOT_UNDERSTOOD = ["crit", "b64", "sigD"];
/** The extension keyUsage (RFC 5280, 4.2.1.3), of which Node does not tell: its first byte. */
const KEY_USAGE = /\x06\x03\x55\x1d\x0f(?:\x01\x01\xff)?\x04[\x04\x05]\x03[\x02\x03][\x00-\x07]([^])/;
const NON_REPUDIATION = 0x40;

/** A signed answer does not hold. */
export class SignatureError extends Error {
    override name = "SignatureError";
}

/** Whom to believe. */
export interface Trust {
    /** Certificates in PEM, one in each. */
    roots: readonly string[];
    /** The attorney's identifier (serialNumber of the certificate's subject, such as
     * `PNOLT-37506150439`): under a root many people have certificates. */
    signer: string;
    /** When the certificates have to be valid; now unless given. */
    at?: Date;
}

/** An answer whose signature holds. */
export interface SignedAnswer {
    /** As it would have come unsigned, with `attestation`. */
    answer: Record<string, unknown>;
    /** What came, to be kept as evidence: signature, time-stamp and certificates are in it. */
    document: string;
}

/**
 * Verifies that one person signed an answer, by a certificate that leads to a root.
 *
 * Neither revocation nor the time-stamp is looked at: a validator for JAdES does that.
 */
export function verifyAnswer(document: string, { roots, signer, at = new Date() }: Trust): SignedAnswer {
    const { header, chain, certificate, signed, payload, value } = parts(document);
    hold(!NOT_UNDERSTOOD.some((member) => member in header), "its header changes what is signed");
    const digest = createHash("sha256").update(certificate.raw).digest("base64url");
    hold(header["x5t#S256"] === digest, "it names another certificate than it holds");
    const key = certificate.publicKey;
    const algorithm = ALGORITHMS.get(header.alg);
    const isOfKey = algorithm !== undefined && algorithm.key === key.asymmetricKeyType;
    hold(isOfKey, `${String(header.alg)} is no algorithm for its key`);
    // `verify` hashes by itself, so it gets the input. Given the digest, it would hash a second time
    // and refuse a sound signature.
    const options = { key, dsaEncoding: "ieee-p1363" } as const;
    const isOver = verify(algorithm.hash, Buffer.from(signed), options, value);
    hold(isOver, "the signature is not over this answer");
    const subject = certificate.toLegacyObject().subject as unknown as Record<string, unknown>;
    hold(subject.serialNumber === signer, `it is signed by ${certificate.subject}`);
    // Whoever authenticates signs too, whatever is put before them, by another certificate.
    const usage = KEY_USAGE.exec(certificate.raw.toString("latin1"))?.[1]?.charCodeAt(0) ?? 0;
    hold((usage & NON_REPUDIATION) !== 0, "its key is not for signatures");
    checkPath(chain, roots.map((pem) => new X509Certificate(pem)), at);
    return { answer: JSON.parse(payload.toString()) as Record<string, unknown>, document };
}

function parts(document: string) {
    try {
        const jws = JSON.parse(document) as Record<"payload" | "protected" | "signature", string>;
        const header = JSON.parse(base64url(jws.protected).toString()) as Record<string, unknown>;
        const held = header.x5c as string[];
        const chain = held.map((text) => new X509Certificate(Buffer.from(text, "base64")));
        const [certificate] = chain;
        if (!certificate) throw new TypeError("there is no certificate");
        const signed = `${jws.protected}.${jws.payload}`;
        const [payload, value] = [base64url(jws.payload), base64url(jws.signature)];
        return { header, chain, certificate, signed, payload, value };
    } catch (cause) {
        throw new SignatureError("it is no signed answer", { cause });
    }
}

/** Holds that each certificate is issued by the next, and the last by a root. */
function checkPath(chain: X509Certificate[], roots: X509Certificate[], at: Date): void {
    for (const [place, certificate] of chain.entries()) {
        const { subject, validFrom, validTo } = certificate;
        const isValid = new Date(validFrom) <= at && at <= new Date(validTo);
        hold(isValid, `${subject} is not valid at ${at.toISOString()}`);
        hold(place === 0 || certificate.ca, `${subject} is no authority`);
        const next = chain[place + 1];
        const isIssued = (issuer: X509Certificate) =>
            certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
        hold((next ? [next] : roots).some(isIssued), `${certificate.issuer} is not trusted`);
    }
}

function hold(holds: boolean, otherwise: string): asserts holds {
    if (!holds) throw new SignatureError(otherwise);
}

/** What a text in base64url without padding stands for. */
function base64url(text: string): Buffer {
    const bytes = Buffer.from(text, "base64url");
    if (bytes.toString("base64url") !== text) throw new TypeError("it is no base64url");
    return bytes;
}
