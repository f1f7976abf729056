#include "contract.h"

#include <string.h>

plugin_string_t to_string(struct bytes text)
{
    return (plugin_string_t){(uint8_t *)text.at, text.len};
}

plugin_string_t to_text(const char *text)
{
    return to_string(bytes_of_text(text));
}

plugin_list_u8_t to_list(struct bytes bytes)
{
    return (plugin_list_u8_t){(uint8_t *)bytes.at, bytes.len};
}

parafa_format_types_der_t to_der(struct bytes der)
{
    return (parafa_format_types_der_t){(uint8_t *)der.at, der.len};
}

struct bytes from_string(plugin_string_t text)
{
    return (struct bytes){text.ptr, text.len};
}

struct bytes from_list(plugin_list_u8_t list)
{
    return (struct bytes){list.ptr, list.len};
}

struct bytes from_der(parafa_format_types_der_t der)
{
    return (struct bytes){der.ptr, der.len};
}

parafa_format_types_level_t to_level(bool has_timestamp)
{
    return (parafa_format_types_level_t){
        .profile = to_text("Memo-B"),
        .baseline = has_timestamp ? PARAFA_FORMAT_TYPES_BASELINE_T : PARAFA_FORMAT_TYPES_BASELINE_B,
    };
}

plugin_string_t signature_id(size_t index)
{
    struct buffer id = {0};
    document_add_id(&id, index);
    return to_string(bytes_in(&id));
}

bool refuse(parafa_format_types_refusal_t *refusal, const char *code, const char *detail)
{
    memset(refusal, 0, sizeof *refusal);
    refusal->code = to_text(code);
    refusal->detail = to_text(detail);
    return false;
}

bool read_document(parafa_format_documents_borrow_blob_t blob, struct document *document,
                   parafa_format_types_refusal_t *refusal)
{
    if (parafa_format_documents_method_blob_len(blob) > MOST_BYTES)
        return refuse(refusal, "document-too-long", "The document is longer than 1 MiB.");
    plugin_list_u8_t read;
    parafa_format_documents_method_blob_read(blob, 0, MOST_BYTES, &read);
    const struct problem *problem = document_parse(from_list(read), document);
    return problem == NULL || refuse(refusal, problem->code, problem->detail);
}
