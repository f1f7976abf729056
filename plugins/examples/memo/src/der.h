/* DER (ITU-T X.690), as far as certificates and time-stamp tokens need it. */
#pragma once
#include "bytes.h"

enum {
    DER_INTEGER = 0x02,
    DER_OCTET_STRING = 0x04,
    DER_OID = 0x06,
    DER_UTF8_STRING = 0x0C,
    DER_PRINTABLE_STRING = 0x13,
    DER_GENERALIZED_TIME = 0x18,
    DER_SEQUENCE = 0x30,
    DER_SET = 0x31,
    DER_CONTEXT_0 = 0xA0,
    DER_CONTEXT_1 = 0xA1,
};

struct element {
    uint8_t tag;
    /* With tag and length. */
    struct bytes whole;
    struct bytes content;
};

/* Takes the first element of `in`. False where there is none. */
bool der_next(struct bytes *in, struct element *element);

/* Takes the first element of `in`, which has this tag, and returns its content. */
bool der_take(struct bytes *in, uint8_t tag, struct bytes *content);

/* Takes the first element of `in` if it has this tag; otherwise the content is empty. */
void der_take_optional(struct bytes *in, uint8_t tag, struct bytes *content);

/* What is read of a certificate (RFC 5280, 4.1). */
struct certificate {
    struct bytes serial;
    /* Whole elements. */
    struct bytes issuer;
    struct bytes subject;
    struct bytes public_key;
};

bool certificate_read(struct bytes der, struct certificate *certificate);

/* Finds the first common name of a certificate's subject. */
bool certificate_common_name(const struct certificate *certificate, struct bytes *name);
