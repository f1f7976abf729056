// Signed answers of the due-diligence API.

import { createHash, verify, X509Certificate } from "node:crypto";

const ALGORITHMS: Record<string, { hash: string; key: string }> = {
    RS256: { hash: "sha256", key: "rsa" },
    ES256: { hash: "sha256", key: "ec" },
    ES384: { hash: "sha384", key: "ec" },
};
/** Members of the protected header that would have something else signed than what is inside. */
const NOT_UNDERSTOOD = ["crit", "b64", "sigD"];

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

interface Parts {
    header: Record<string, unknown>;
    chain: X509Certificate[];
    certificate: X509Certificate;
    signed: string;
    payload: Buffer;
    value: Buffer;
}

/**
 * Verifies that one person signed an answer, by a certificate that leads to a root.
 *
 * Neither revocation nor the time-stamp is looked at: a validator for JAdES does that.
 */
export function verifyAnswer(document: string, { roots, signer, at = new Date() }: Trust): SignedAnswer {
    const { header, chain, certificate, signed, payload, value } = parts(document);
    if (NOT_UNDERSTOOD.some((member) => member in header)) {
        throw new SignatureError("its header has members that change what is signed");
    }
    const digest = createHash("sha256").update(certificate.raw).digest("base64url");
    if (header["x5t#S256"] !== digest) {
        throw new SignatureError("it names another certificate than it holds");
    }
    const algorithm = ALGORITHMS[String(header.alg)];
    const key = certificate.publicKey;
    if (!algorithm || algorithm.key !== key.asymmetricKeyType) {
        throw new SignatureError(`${String(header.alg)} is no algorithm for its key`);
    }
    // `verify` hashes by itself, so it gets the input. Given the digest, it would hash a second time
    // and refuse a sound signature.
    const input = Buffer.from(signed);
    if (!verify(algorithm.hash, input, { key, dsaEncoding: "ieee-p1363" }, value)) {
        throw new SignatureError("the signature is not over this answer");
    }
    const subject = certificate.toLegacyObject().subject as unknown as Record<string, unknown>;
    if (subject.serialNumber !== signer) {
        throw new SignatureError(`it is signed by ${certificate.subject}`);
    }
    checkPath(chain, roots.map((pem) => new X509Certificate(pem)), at);
    return { answer: JSON.parse(payload.toString()) as Record<string, unknown>, document };
}

function parts(document: string): Parts {
    try {
        const jws = JSON.parse(document) as Record<"payload" | "protected" | "signature", string>;
        const header = JSON.parse(base64url(jws.protected).toString()) as Record<string, unknown>;
        const held = header.x5c as string[];
        const chain = held.map((text) => new X509Certificate(Buffer.from(text, "base64")));
        const [certificate] = chain;
        if (!certificate) throw new TypeError("there is no certificate");
        const signed = `${jws.protected}.${jws.payload}`;
        const payload = base64url(jws.payload);
        return { header, chain, certificate, signed, payload, value: base64url(jws.signature) };
    } catch (cause) {
        throw new SignatureError("it is no signed answer", { cause });
    }
}

/** Holds that each certificate is issued by the next, and the last by a root. */
function checkPath(chain: X509Certificate[], roots: X509Certificate[], at: Date): void {
    for (const [place, certificate] of chain.entries()) {
        if (new Date(certificate.validFrom) > at || new Date(certificate.validTo) < at) {
            throw new SignatureError(`${certificate.subject} is not valid at ${at.toISOString()}`);
        }
        if (place > 0 && !certificate.ca) {
            throw new SignatureError(`${certificate.subject} is no authority`);
        }
        const next = chain[place + 1];
        const isIssued = (issuer: X509Certificate) =>
            certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
        if (!(next ? [next] : roots).some(isIssued)) {
            throw new SignatureError(`${certificate.issuer} is not trusted`);
        }
    }
}

/** What a text in base64url without padding stands for. */
function base64url(text: string): Buffer {
    const bytes = Buffer.from(text, "base64url");
    if (bytes.toString("base64url") !== text) throw new TypeError("it is no base64url");
    return bytes;
}
