#include "contract.h"
#include "der.h"

#include <stdlib.h>

bool exports_parafa_format_inspection_inspect(
    exports_parafa_format_inspection_borrow_blob_t blob,
    exports_parafa_format_inspection_report_t *report,
    exports_parafa_format_inspection_refusal_t *refusal)
{
    struct document document;
    if (!read_document(blob, &document, refusal))
        return false;
    exports_parafa_format_inspection_signature_summary_t *summaries =
        calloc(document.count, sizeof *summaries);
    for (size_t i = 0; i < document.count; i++) {
        const struct signature *signature = &document.signatures[i];
        struct certificate certificate;
        struct bytes name;
        summaries[i].id = signature_id(i);
        summaries[i].claimed_time.is_some = true;
        summaries[i].claimed_time.val = signature->time;
        if (certificate_read(signature->chain[0], &certificate) &&
            certificate_common_name(&certificate, &name)) {
            summaries[i].signer.is_some = true;
            summaries[i].signer.val = to_string(name);
        }
    }
    exports_parafa_format_inspection_obstacle_t *sign = calloc(1, sizeof *sign);
    const struct problem *obstacle = document_obstacle(&document);
    if (obstacle != NULL) {
        sign->operation = PARAFA_FORMAT_TYPES_OPERATION_SIGN;
        refuse(&sign->refusal, obstacle->code, obstacle->detail);
    }
    *report = (exports_parafa_format_inspection_report_t){
        .media_type = to_text(MEDIA_TYPE),
        .format_version = to_text("1"),
        .signatures = {summaries, document.count},
        .obstacles = {sign, obstacle != NULL},
        .room = {true, (uint32_t)(MOST_SIGNATURES - document.count)},
    };
    return true;
}
