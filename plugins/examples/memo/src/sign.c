#include "contract.h"

#include <stdlib.h>

typedef exports_parafa_format_signing_request_t request_t;
typedef exports_parafa_format_signing_step_t step_t;
typedef exports_parafa_format_signing_refusal_t refusal_t;
typedef exports_parafa_format_signing_list_answer_t answers_t;

#define SIGNATURE "signature"
#define TIMESTAMP "timestamp"

enum answered { MISSING, GIVEN, REFUSED };

static bool read_request(const request_t *request, struct signature *signature, refusal_t *refusal)
{
    if (request->params.len > 0 || request->covers.len > 0)
        return refuse(refusal, "bad-request", "The format takes no parameters and has no members.");
    if (request->signer_chain.len == 0 || request->signer_chain.len > MOST_CERTIFICATES)
        return refuse(refusal, "bad-request", "A signature takes 1 to 8 certificates.");
    signature->algorithm = algorithm_named(from_string(request->signature_algorithm));
    if (signature->algorithm == NULL)
        return refuse(refusal, "bad-request", "The signature algorithm is not known.");
    if (request->time < 0 || request->time > LATEST)
        return refuse(refusal, "bad-request", "The time is not between 1970 and 9999.");
    signature->time = request->time;
    signature->chain_len = request->signer_chain.len;
    for (size_t i = 0; i < signature->chain_len; i++)
        signature->chain[i] = from_der(request->signer_chain.ptr[i]);
    signature->token = TEXT("");
    return true;
}

static enum answered find_answer(const answers_t *answers, const char *id, struct bytes *found)
{
    for (size_t i = 0; i < answers->len; i++) {
        parafa_format_types_answer_t *answer = &answers->ptr[i];
        if (!bytes_equal(from_string(answer->need_id), bytes_of_text(id)))
            continue;
        if (answer->outcome.is_err)
            return REFUSED;
        *found = from_list(answer->outcome.val.ok);
        return found->len > 0 ? GIVEN : REFUSED;
    }
    return MISSING;
}

static parafa_format_types_payload_t to_payload(struct bytes bytes)
{
    return (parafa_format_types_payload_t){
        .tag = PARAFA_FORMAT_TYPES_PAYLOAD_BYTES,
        .val.bytes = to_list(bytes),
    };
}

static bool need(const char *id, parafa_format_types_question_t question, step_t *step)
{
    parafa_format_types_need_t *need = malloc(sizeof *need);
    *need = (parafa_format_types_need_t){.id = to_text(id), .question = question};
    *step = (step_t){
        .tag = EXPORTS_PARAFA_FORMAT_SIGNING_STEP_NEEDS,
        .val.needs = {need, 1},
    };
    return true;
}

static bool need_signature(const struct signature *signature, struct bytes covered, step_t *step)
{
    parafa_format_types_question_t question = {.tag = PARAFA_FORMAT_TYPES_QUESTION_SIGNATURE};
    question.val.signature.payload = to_payload(covered);
    question.val.signature.digest_algorithm = to_text(signature->algorithm->digest);
    return need(SIGNATURE, question, step);
}

static bool need_timestamp(const struct signature *signature, step_t *step)
{
    parafa_format_types_question_t question = {.tag = PARAFA_FORMAT_TYPES_QUESTION_TIMESTAMP};
    question.val.timestamp.kind = PARAFA_FORMAT_TYPES_TIMESTAMP_KIND_SIGNATURE;
    question.val.timestamp.payload = to_payload(signature->value);
    question.val.timestamp.digest_algorithm = to_text(signature->algorithm->digest);
    return need(TIMESTAMP, question, step);
}

static void write(parafa_format_documents_borrow_sink_t out, struct bytes bytes)
{
    plugin_list_u8_t list = to_list(bytes);
    parafa_format_documents_method_sink_write(out, &list);
}

bool exports_parafa_format_signing_sign(exports_parafa_format_signing_borrow_blob_t blob,
                                        request_t *request, answers_t *answers,
                                        exports_parafa_format_signing_borrow_sink_t out,
                                        step_t *step, refusal_t *refusal)
{
    struct document document;
    struct signature signature;
    if (!read_document(blob, &document, refusal) || !read_request(request, &signature, refusal))
        return false;
    const struct problem *obstacle = document_obstacle(&document);
    if (obstacle != NULL)
        return refuse(refusal, obstacle->code, obstacle->detail);

    struct buffer covered = {0}, tail = {0};
    buffer_add(&covered, document.text);
    document_add_head(&covered, document.text, &signature);
    if (covered.len > MOST_BYTES - ROOM / 2)
        return refuse(refusal, "no-room", "The certificates are longer than 64 KiB in base64.");

    switch (find_answer(answers, SIGNATURE, &signature.value)) {
    case MISSING:
        return need_signature(&signature, bytes_in(&covered), step);
    case REFUSED:
        return refuse(refusal, "bad-request", "The signature was not given: sign again.");
    case GIVEN:
        break;
    }
    bool is_stamped = request->target == EXPORTS_PARAFA_FORMAT_SIGNING_TARGET_LEVEL_B_T;
    if (is_stamped) {
        switch (find_answer(answers, TIMESTAMP, &signature.token)) {
        case MISSING:
            return need_timestamp(&signature, step);
        case REFUSED:
            return refuse(refusal, "bad-request",
                          "The time-stamp could not be obtained: sign again, or at level B-B.");
        case GIVEN:
            break;
        }
    }
    document_add_tail(&tail, &signature);
    if (tail.len > MOST_BYTES - covered.len)
        return refuse(refusal, "no-room", "Value and time-stamp find no room.");

    parafa_format_documents_method_sink_copy(out, blob, 0, document.text.len);
    write(out, bytes_from(bytes_in(&covered), document.text.len));
    write(out, bytes_in(&tail));
    *step = (step_t){.tag = EXPORTS_PARAFA_FORMAT_SIGNING_STEP_DONE};
    step->val.done.media_type = to_text(MEDIA_TYPE);
    step->val.done.level = to_level(is_stamped);
    step->val.done.signature_id = signature_id(document.count);
    return true;
}
