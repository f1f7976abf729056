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
    *report = (exports_parafa_format_inspection_report_t){
        .media_type = to_text(MEDIA_TYPE),
        .format_version = to_text("1"),
        .signatures = {summaries, document.count},
    };
    return true;
}
