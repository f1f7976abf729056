#include "timestamp.h"

#include "der.h"
#include "host.h"

#include <stdlib.h>
#include <string.h>

#define OID(...) \
    { \
        (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}) \
    }
#define PKCS 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01
#define NIST_HASH 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02
#define ECDSA 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03

static const struct bytes SIGNED_DATA = OID(PKCS, 0x07, 0x02);
static const struct bytes TST_INFO = OID(PKCS, 0x09, 0x10, 0x01, 0x04);
static const struct bytes CONTENT_TYPE = OID(PKCS, 0x09, 0x03);
static const struct bytes MESSAGE_DIGEST = OID(PKCS, 0x09, 0x04);
static const struct bytes SIGNING_CERTIFICATE = OID(PKCS, 0x09, 0x10, 0x02, 0x0C);
static const struct bytes SIGNING_CERTIFICATE_V2 = OID(PKCS, 0x09, 0x10, 0x02, 0x2F);

static const struct {
    struct bytes oid;
    const char *name;
} DIGESTS[] = {
    {OID(NIST_HASH, 0x01), "SHA-256"},
    {OID(NIST_HASH, 0x02), "SHA-384"},
    {OID(NIST_HASH, 0x03), "SHA-512"},
};

static const struct {
    struct bytes oid;
    const char *digest;
    const char *name;
} ALGORITHMS[] = {
    /* rsaEncryption: the digest is named elsewhere. */
    {OID(PKCS, 0x01, 0x01), "SHA-256", "RSA-PKCS1-SHA256"},
    {OID(PKCS, 0x01, 0x01), "SHA-384", "RSA-PKCS1-SHA384"},
    {OID(PKCS, 0x01, 0x01), "SHA-512", "RSA-PKCS1-SHA512"},
    {OID(PKCS, 0x01, 0x0B), "SHA-256", "RSA-PKCS1-SHA256"},
    {OID(PKCS, 0x01, 0x0C), "SHA-384", "RSA-PKCS1-SHA384"},
    {OID(PKCS, 0x01, 0x0D), "SHA-512", "RSA-PKCS1-SHA512"},
    {OID(ECDSA, 0x02), "SHA-256", "ECDSA-SHA256"},
    {OID(ECDSA, 0x03), "SHA-384", "ECDSA-SHA384"},
    {OID(ECDSA, 0x04), "SHA-512", "ECDSA-SHA512"},
};

/* A TimeStampToken: SignedData (RFC 5652, 5.1) of one signer over a TSTInfo (RFC 3161, 2.4.2). */
struct token {
    struct bytes content_type;
    struct bytes info;
    struct bytes certificates;
    struct bytes signers;
    /* Of the SignerInfo. */
    struct element signer;
    const char *digest;
    struct element attributes;
    struct bytes algorithm;
    struct bytes value;
    /* Of the TSTInfo. */
    const char *imprint_digest;
    struct bytes imprint;
    int64_t time;
};

/* NULL where it has no name here. */
static const char *digest_named(struct bytes oid)
{
    for (size_t i = 0; i < sizeof DIGESTS / sizeof *DIGESTS; i++)
        if (bytes_equal(oid, DIGESTS[i].oid))
            return DIGESTS[i].name;
    return NULL;
}

static const char *algorithm_of(const struct token *token)
{
    for (size_t i = 0; token->digest != NULL && i < sizeof ALGORITHMS / sizeof *ALGORITHMS; i++)
        if (bytes_equal(token->algorithm, ALGORITHMS[i].oid) &&
            bytes_equal(bytes_of_text(token->digest), bytes_of_text(ALGORITHMS[i].digest)))
            return ALGORITHMS[i].name;
    return NULL;
}

static int64_t days_since_1970(int64_t year, int64_t month, int64_t day)
{
    /* A year that begins in March ends with the leap day. Its months 10 to 12 may also be called
     * 13 to 15: the first of month 13 is New Year's Day. */
    int64_t years = month > 2 ? year : year - 1;
    int64_t months = month > 2 ? month - 3 : month + 9;
    return years * 365 + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + day - 1 -
           719468;
}

/* GeneralizedTime of RFC 3161: YYYYMMDDhhmmss[.s...]Z. The fraction is left out. */
static bool read_time(struct bytes text, int64_t *seconds)
{
    enum { PAIRS = 7 };
    int64_t pair[PAIRS];
    bool has_fraction = text.len > 2 * PAIRS + 1;
    if (text.len < 2 * PAIRS + 1 || text.len == 2 * PAIRS + 2 || text.at[text.len - 1] != 'Z' ||
        (has_fraction && text.at[2 * PAIRS] != '.'))
        return false;
    for (size_t i = 0; i < text.len - 1; i++)
        if (i != 2 * PAIRS && (text.at[i] < '0' || text.at[i] > '9'))
            return false;
    for (size_t i = 0; i < PAIRS; i++)
        pair[i] = (text.at[2 * i] - '0') * 10 + (text.at[2 * i + 1] - '0');
    int64_t year = pair[0] * 100 + pair[1];
    if (year < 1970 || pair[2] < 1 || pair[2] > 12 || pair[3] < 1 || pair[4] > 23 ||
        pair[5] > 59 || pair[6] > 59)
        return false;
    int64_t days = days_since_1970(year, pair[2], pair[3]);
    if (days >= days_since_1970(year, pair[2] + 1, 1))
        return false;
    *seconds = ((days * 24 + pair[4]) * 60 + pair[5]) * 60 + pair[6];
    return true;
}

/* Takes an AlgorithmIdentifier, and returns its name. */
static bool take_algorithm(struct bytes *in, struct bytes *oid)
{
    struct bytes identifier;
    return der_take(in, DER_SEQUENCE, &identifier) && der_take(&identifier, DER_OID, oid);
}

static bool take_oid(struct bytes *in, struct bytes wanted)
{
    struct bytes oid;
    return der_take(in, DER_OID, &oid) && bytes_equal(oid, wanted);
}

/* Reads the one SignerInfo. */
static bool parse_signer(struct token *token)
{
    struct bytes signers = token->signers, signer, version, digest;
    if (!der_take(&signers, DER_SEQUENCE, &signer) || signers.len > 0 ||
        !der_take(&signer, DER_INTEGER, &version) || !der_next(&signer, &token->signer) ||
        !take_algorithm(&signer, &digest) || !der_next(&signer, &token->attributes) ||
        token->attributes.tag != DER_CONTEXT_0 || !take_algorithm(&signer, &token->algorithm))
        return false;
    token->digest = digest_named(digest);
    return der_take(&signer, DER_OCTET_STRING, &token->value);
}

static bool parse_info(struct token *token)
{
    struct bytes whole = token->info, info, skipped, imprint, digest, time;
    if (!der_take(&whole, DER_SEQUENCE, &info) || !der_take(&info, DER_INTEGER, &skipped) ||
        !der_take(&info, DER_OID, &skipped) || !der_take(&info, DER_SEQUENCE, &imprint) ||
        !take_algorithm(&imprint, &digest) ||
        !der_take(&imprint, DER_OCTET_STRING, &token->imprint) ||
        !der_take(&info, DER_INTEGER, &skipped) || !der_take(&info, DER_GENERALIZED_TIME, &time))
        return false;
    token->imprint_digest = digest_named(digest);
    return read_time(time, &token->time);
}

/* Tells whether it is a SignedData, be it in BER of indefinite length (X.690, 8.1.3.6). */
static bool is_signed_data(struct bytes ber)
{
    struct bytes outer;
    if (bytes_strip(&ber, TEXT("\x30\x80")))
        outer = ber;
    else if (!der_take(&ber, DER_SEQUENCE, &outer) || ber.len > 0)
        return false;
    return take_oid(&outer, SIGNED_DATA);
}

/* Reads a SignedData, but neither its content nor its signer. */
static bool parse(struct bytes der, struct token *token)
{
    struct bytes outer, explicit, signed_data, skipped, encapsulated;
    if (!der_take(&der, DER_SEQUENCE, &outer) || !take_oid(&outer, SIGNED_DATA) ||
        !der_take(&outer, DER_CONTEXT_0, &explicit) ||
        !der_take(&explicit, DER_SEQUENCE, &signed_data) ||
        !der_take(&signed_data, DER_INTEGER, &skipped) ||
        !der_take(&signed_data, DER_SET, &skipped) ||
        !der_take(&signed_data, DER_SEQUENCE, &encapsulated) ||
        !der_take(&encapsulated, DER_OID, &token->content_type) ||
        !der_take(&encapsulated, DER_CONTEXT_0, &explicit) ||
        !der_take(&explicit, DER_OCTET_STRING, &token->info))
        return false;
    der_take_optional(&signed_data, DER_CONTEXT_0, &token->certificates);
    der_take_optional(&signed_data, DER_CONTEXT_1, &skipped);
    return der_take(&signed_data, DER_SET, &token->signers);
}

/* Finds the first value of a signed attribute. */
static bool attribute(const struct token *token, struct bytes type, struct element *value)
{
    struct bytes attributes = token->attributes.content, one, values;
    while (der_take(&attributes, DER_SEQUENCE, &one))
        if (take_oid(&one, type))
            return der_take(&one, DER_SET, &values) && der_next(&values, value);
    return false;
}

/* Finds the certificate that the SignerInfo names by issuer and serial number. */
static bool signer_of(const struct token *token, struct bytes *der, struct certificate *certificate)
{
    struct bytes certificates = token->certificates, name = token->signer.content, serial;
    struct element element, issuer;
    if (token->signer.tag != DER_SEQUENCE || !der_next(&name, &issuer) ||
        !der_take(&name, DER_INTEGER, &serial))
        return false;
    while (der_next(&certificates, &element)) {
        *der = element.whole;
        if (certificate_read(element.whole, certificate) &&
            bytes_equal(certificate->issuer, issuer.whole) &&
            bytes_equal(certificate->serial, serial))
            return true;
    }
    return false;
}

/* Tells whether the signed attributes name this certificate (RFC 5035, 3 and 4). */
static struct verdict check_name(const struct token *token, struct bytes certificate)
{
    struct element value;
    struct bytes ids, id, oid, named, digest;
    const char *algorithm = "SHA-256";
    bool is_v2 = attribute(token, SIGNING_CERTIFICATE_V2, &value);
    if (!is_v2) {
        algorithm = "SHA-1";
        if (!attribute(token, SIGNING_CERTIFICATE, &value))
            return (struct verdict){BROKEN, "signature-mismatch"};
    }
    if (value.tag != DER_SEQUENCE || !der_take(&value.content, DER_SEQUENCE, &ids) ||
        !der_take(&ids, DER_SEQUENCE, &id))
        return (struct verdict){BROKEN, "malformed"};
    if (is_v2 && id.len > 0 && id.at[0] == DER_SEQUENCE) {
        if (!take_algorithm(&id, &oid))
            return (struct verdict){BROKEN, "malformed"};
        algorithm = digest_named(oid);
    }
    if (!der_take(&id, DER_OCTET_STRING, &named))
        return (struct verdict){BROKEN, "malformed"};
    if (algorithm == NULL || !host_digest(algorithm, certificate, &digest))
        return (struct verdict){UNKNOWN, "unverifiable"};
    if (!bytes_equal(named, digest))
        return (struct verdict){BROKEN, "signature-mismatch"};
    return (struct verdict){HOLDS, NULL};
}

/* Checks the signature (RFC 5652, 5.4 and 5.6). */
static struct verdict check_signature(struct token *token)
{
    struct bytes der, digest;
    struct certificate certificate;
    struct element type, stated;
    if (!parse_signer(token))
        return (struct verdict){UNKNOWN, "unverifiable"};
    const char *algorithm = algorithm_of(token);
    if (!attribute(token, CONTENT_TYPE, &type) || type.tag != DER_OID ||
        !bytes_equal(type.content, TST_INFO) || !attribute(token, MESSAGE_DIGEST, &stated))
        return (struct verdict){BROKEN, "signature-mismatch"};
    if (algorithm == NULL || !signer_of(token, &der, &certificate) ||
        !host_digest(token->digest, token->info, &digest))
        return (struct verdict){UNKNOWN, "unverifiable"};
    if (stated.tag != DER_OCTET_STRING || !bytes_equal(stated.content, digest))
        return (struct verdict){BROKEN, "signature-mismatch"};
    struct verdict named = check_name(token, der);
    if (named.outcome != HOLDS)
        return named;

    /* They are signed under the tag of a SET, in place of that of the SignerInfo. */
    struct bytes attributes = token->attributes.whole;
    uint8_t *set = malloc(attributes.len);
    memcpy(set, attributes.at, attributes.len);
    set[0] = DER_SET;
    if (!host_digest(token->digest, (struct bytes){set, attributes.len}, &digest))
        return (struct verdict){UNKNOWN, "unverifiable"};
    switch (host_verify(certificate.public_key, algorithm, digest, token->value)) {
    case HOLDS:
        return (struct verdict){HOLDS, NULL};
    case BROKEN:
        return (struct verdict){BROKEN, "signature-mismatch"};
    default:
        return (struct verdict){UNKNOWN, "unverifiable"};
    }
}

struct timestamp timestamp_check(struct bytes der, struct bytes value)
{
    struct token token;
    struct bytes digest;
    struct timestamp checked = {false, 0, {BROKEN, "malformed"}};
    if (!is_signed_data(der))
        return checked;
    if (!parse(der, &token)) {
        checked.integrity = (struct verdict){UNKNOWN, "unverifiable"};
        return checked;
    }
    if (!bytes_equal(token.content_type, TST_INFO) || !parse_info(&token))
        return checked;
    checked.has_time = true;
    checked.time = token.time;
    if (token.imprint_digest == NULL || !host_digest(token.imprint_digest, value, &digest))
        checked.integrity = (struct verdict){UNKNOWN, "unverifiable"};
    else if (!bytes_equal(token.imprint, digest))
        checked.integrity = (struct verdict){BROKEN, "imprint-mismatch"};
    else
        checked.integrity = check_signature(&token);
    return checked;
}
