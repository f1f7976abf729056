#include "der.h"

bool der_next(struct bytes *in, struct element *element)
{
    if (in->len < 2)
        return false;
    size_t head = 2, len = in->at[1];
    if (len >= 0x80) {
        size_t octets = len - 0x80;
        /* No indefinite length; four octets are all that fit. */
        if (octets == 0 || octets > sizeof(uint32_t) || in->len < head + octets)
            return false;
        for (len = 0; octets > 0; octets--)
            len = len << 8 | in->at[head++];
    }
    if (in->len - head < len)
        return false;
    element->tag = in->at[0];
    element->whole = (struct bytes){in->at, head + len};
    element->content = (struct bytes){in->at + head, len};
    *in = bytes_from(*in, head + len);
    return true;
}

bool der_take(struct bytes *in, uint8_t tag, struct bytes *content)
{
    struct element element;
    if (!der_next(in, &element) || element.tag != tag)
        return false;
    *content = element.content;
    return true;
}

void der_take_optional(struct bytes *in, uint8_t tag, struct bytes *content)
{
    struct bytes rest = *in;
    if (der_take(&rest, tag, content))
        *in = rest;
    else
        *content = TEXT("");
}

bool certificate_read(struct bytes der, struct certificate *certificate)
{
    struct bytes whole, fields, version;
    struct element algorithm, issuer, validity, subject, key;
    if (!der_take(&der, DER_SEQUENCE, &whole) || der.len > 0 ||
        !der_take(&whole, DER_SEQUENCE, &fields))
        return false;
    der_take_optional(&fields, DER_CONTEXT_0, &version);
    if (!der_take(&fields, DER_INTEGER, &certificate->serial) || !der_next(&fields, &algorithm) ||
        !der_next(&fields, &issuer) || !der_next(&fields, &validity) ||
        !der_next(&fields, &subject) || !der_next(&fields, &key))
        return false;
    certificate->issuer = issuer.whole;
    certificate->subject = subject.whole;
    certificate->public_key = key.whole;
    return true;
}

bool certificate_common_name(const struct certificate *certificate, struct bytes *name)
{
    /* 2.5.4.3 */
    static const uint8_t COMMON_NAME[] = {0x55, 0x04, 0x03};
    const struct bytes wanted = {COMMON_NAME, sizeof COMMON_NAME};

    struct bytes subject = certificate->subject, parts, part, attribute, type;
    struct element value;
    if (!der_take(&subject, DER_SEQUENCE, &parts))
        return false;
    while (der_take(&parts, DER_SET, &part)) {
        while (der_take(&part, DER_SEQUENCE, &attribute)) {
            if (der_take(&attribute, DER_OID, &type) && bytes_equal(type, wanted) &&
                der_next(&attribute, &value) &&
                (value.tag == DER_UTF8_STRING || value.tag == DER_PRINTABLE_STRING) &&
                bytes_are_utf8(value.content)) {
                *name = value.content;
                return true;
            }
        }
    }
    return false;
}
