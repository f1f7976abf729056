#include "contract.h"
#include "der.h"
#include "host.h"
#include "timestamp.h"

#include <stdlib.h>

typedef exports_parafa_format_verification_evidence_t evidence_t;
typedef exports_parafa_format_verification_signature_evidence_t signature_evidence_t;
typedef exports_parafa_format_verification_timestamp_evidence_t timestamp_evidence_t;

static parafa_format_types_check_t to_check(struct verdict verdict)
{
    switch (verdict.outcome) {
    case HOLDS:
        return (parafa_format_types_check_t){.tag = PARAFA_FORMAT_TYPES_CHECK_HOLDS};
    case BROKEN:
        return (parafa_format_types_check_t){
            .tag = PARAFA_FORMAT_TYPES_CHECK_BROKEN,
            .val.broken = to_text(verdict.code),
        };
    default:
        return (parafa_format_types_check_t){
            .tag = PARAFA_FORMAT_TYPES_CHECK_UNKNOWN,
            .val.unknown = to_text(verdict.code),
        };
    }
}

/* Returns the place of a certificate among all, of which each is kept once. */
static uint32_t place_of(struct bytes certificate, parafa_format_types_der_t *all, size_t *len)
{
    for (size_t i = 0; i < *len; i++)
        if (bytes_equal(from_der(all[i]), certificate))
            return (uint32_t)i;
    all[*len] = to_der(certificate);
    return (uint32_t)(*len)++;
}

static struct verdict check(const struct signature *signature, const struct certificate *signer,
                            struct bytes digest)
{
    switch (host_verify(signer->public_key, signature->algorithm->name, digest, signature->value)) {
    case HOLDS:
        return (struct verdict){HOLDS, NULL};
    case BROKEN:
        return (struct verdict){BROKEN, "signature-mismatch"};
    default:
        return (struct verdict){UNKNOWN, "unsupported"};
    }
}

/* Adds the evidence of the time-stamp; true where it holds. */
static bool add_timestamp(const struct signature *signature, signature_evidence_t *evidence)
{
    timestamp_evidence_t *timestamp = calloc(1, sizeof *timestamp);
    struct timestamp checked = timestamp_check(signature->token, signature->value);
    timestamp->kind = PARAFA_FORMAT_TYPES_TIMESTAMP_KIND_SIGNATURE;
    timestamp->token = to_der(signature->token);
    timestamp->time.is_some = checked.has_time;
    timestamp->time.val = checked.time;
    timestamp->integrity = to_check(checked.integrity);
    evidence->timestamps.ptr = timestamp;
    evidence->timestamps.len = 1;
    return checked.integrity.outcome == HOLDS;
}

bool exports_parafa_format_verification_verify(
    exports_parafa_format_verification_borrow_blob_t blob, evidence_t *evidence,
    exports_parafa_format_verification_refusal_t *refusal)
{
    struct document document;
    if (!read_document(blob, &document, refusal))
        return false;
    parafa_format_types_der_t *all = calloc(document.count * MOST_CERTIFICATES, sizeof *all);
    signature_evidence_t *signatures = calloc(document.count, sizeof *signatures);
    size_t all_len = 0;
    for (size_t i = 0; i < document.count; i++) {
        const struct signature *from = &document.signatures[i];
        signature_evidence_t *to = &signatures[i];
        bool is_last = i + 1 == document.count;
        struct certificate signer;
        struct bytes digest, covered = {document.text.at, from->covered};
        if (!host_digest(from->algorithm->digest, covered, &digest))
            abort();

        to->id = signature_id(i);
        to->kind = EXPORTS_PARAFA_FORMAT_VERIFICATION_SIGNATURE_KIND_SIGNATURE;
        to->claimed_time.is_some = true;
        to->claimed_time.val = from->time;
        to->signed_.tag = PARAFA_FORMAT_TYPES_PAYLOAD_DIGEST;
        to->signed_.val.digest.algorithm = to_text(from->algorithm->digest);
        to->signed_.val.digest.value = to_list(digest);
        to->value = to_list(from->value);
        to->algorithm.is_some = true;
        to->algorithm.val = to_text(from->algorithm->name);
        uint32_t *places = calloc(from->chain_len, sizeof *places);
        for (size_t j = 0; j < from->chain_len; j++)
            places[j] = place_of(from->chain[j], all, &all_len);
        to->signer_certificate.is_some = true;
        to->signer_certificate.val = places[0];
        to->certificates.ptr = places;
        to->certificates.len = from->chain_len;
        to->coverage.tag = is_last ? EXPORTS_PARAFA_FORMAT_VERIFICATION_COVERAGE_ENTIRE_FILE
                                   : EXPORTS_PARAFA_FORMAT_VERIFICATION_COVERAGE_ENTIRE_REVISION;
        to->later_changes.kind = is_last ? EXPORTS_PARAFA_FORMAT_VERIFICATION_CHANGE_KIND_NONE
                                         : EXPORTS_PARAFA_FORMAT_VERIFICATION_CHANGE_KIND_SIGNING;
        if (certificate_read(from->chain[0], &signer)) {
            /* The signature is over the certificate itself. */
            to->certificate = to_check((struct verdict){HOLDS, NULL});
            to->integrity = to_check(check(from, &signer, digest));
        } else {
            to->certificate = to_check((struct verdict){BROKEN, "malformed"});
            to->integrity = to_check((struct verdict){BROKEN, "malformed"});
        }
        to->level.is_some = true;
        to->level.val = to_level(from->token.len > 0 && add_timestamp(from, to));
    }
    *evidence = (evidence_t){
        .certificates = {all, all_len},
        .signatures = {signatures, document.count},
    };
    return true;
}
