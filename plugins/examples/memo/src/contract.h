/* Between the format and the bindings of the contract. */
#pragma once
#include "bytes.h"
#include "document.h"
#include "plugin.h"

#define MEDIA_TYPE "application/x-memo"

/* The bytes stay where they are. */
plugin_string_t to_string(struct bytes text);
plugin_string_t to_text(const char *text);
plugin_list_u8_t to_list(struct bytes bytes);
parafa_format_types_der_t to_der(struct bytes der);
struct bytes from_string(plugin_string_t text);
struct bytes from_list(plugin_list_u8_t list);
struct bytes from_der(parafa_format_types_der_t der);

/* `Memo-B-B` or `Memo-B-T`. */
parafa_format_types_level_t to_level(bool has_timestamp);

/* The id of a signature, counted from 0. */
plugin_string_t signature_id(size_t index);

/* Returns false, for `return refuse(...)`. */
bool refuse(parafa_format_types_refusal_t *refusal, const char *code, const char *detail);

/* Reads a document; false with a refusal. */
bool read_document(parafa_format_documents_borrow_blob_t blob, struct document *document,
                   parafa_format_types_refusal_t *refusal);
