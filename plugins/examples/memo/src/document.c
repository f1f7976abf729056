#include "document.h"

#include <stdlib.h>

#define BEGIN TEXT("-----BEGIN MEMO SIGNATURE-----")
#define END TEXT("-----END MEMO SIGNATURE-----")
#define TIME TEXT("Time: ")
#define ALGORITHM TEXT("Algorithm: ")
#define CERTIFICATE TEXT("Certificate: ")
#define VALUE TEXT("Value: ")
#define TIMESTAMP TEXT("Timestamp: ")
#define LINE_FEED TEXT("\n")

static const struct algorithm ALGORITHMS[] = {
    {"ECDSA-SHA256", "SHA-256"},     {"ECDSA-SHA384", "SHA-384"},
    {"ECDSA-SHA512", "SHA-512"},     {"RSA-PKCS1-SHA256", "SHA-256"},
    {"RSA-PKCS1-SHA384", "SHA-384"}, {"RSA-PKCS1-SHA512", "SHA-512"},
    {"RSA-PSS-SHA256", "SHA-256"},   {"RSA-PSS-SHA384", "SHA-384"},
    {"RSA-PSS-SHA512", "SHA-512"},
};

static const struct problem EMPTY = {"empty", "The document is empty."};
static const struct problem NOT_TEXT = {"not-text", "The document is no UTF-8 text."};
static const struct problem DAMAGED = {"signature-damaged", "A signature is damaged."};
static const struct problem TOO_MANY = {
    "too-much-to-verify",
    "The document has more than 64 signatures.",
};
static const struct problem FULL = {
    "too-many-signatures",
    "The document has 64 signatures already.",
};
static const struct problem TOO_LONG = {
    "document-too-long",
    "A document to be signed may have 896 KiB at most.",
};

const struct algorithm *algorithm_named(struct bytes name)
{
    for (size_t i = 0; i < sizeof ALGORITHMS / sizeof *ALGORITHMS; i++)
        if (bytes_equal(name, bytes_of_text(ALGORITHMS[i].name)))
            return &ALGORITHMS[i];
    return NULL;
}

static bool take_line_of(struct bytes *in, struct bytes name, struct bytes *value)
{
    struct bytes rest = *in;
    if (!bytes_strip(&rest, name) || !bytes_take_line(&rest, value))
        return false;
    *in = rest;
    return true;
}

/* Reads a signature behind its first line. */
static bool parse_signature(struct bytes *in, size_t text_len, struct signature *signature)
{
    struct bytes line;
    if (!take_line_of(in, TIME, &line) || !bytes_decimal(line, &signature->time) ||
        signature->time > LATEST || !take_line_of(in, ALGORITHM, &line))
        return false;
    signature->algorithm = algorithm_named(line);
    if (signature->algorithm == NULL)
        return false;
    signature->chain_len = 0;
    while (take_line_of(in, CERTIFICATE, &line)) {
        if (signature->chain_len == MOST_CERTIFICATES ||
            !base64_decode(line, &signature->chain[signature->chain_len++]))
            return false;
    }
    signature->covered = text_len - in->len;
    if (signature->chain_len == 0 || !take_line_of(in, VALUE, &line) ||
        !base64_decode(line, &signature->value))
        return false;
    signature->token = TEXT("");
    if (take_line_of(in, TIMESTAMP, &line) && !base64_decode(line, &signature->token))
        return false;
    return take_line_of(in, END, &line) && line.len == 0;
}

const struct problem *document_parse(struct bytes text, struct document *document)
{
    struct bytes rest = text, line;
    document->text = text;
    document->signatures = malloc(MOST_SIGNATURES * sizeof *document->signatures);
    document->count = 0;
    if (text.len == 0)
        return &EMPTY;
    if (!bytes_are_utf8(text))
        return &NOT_TEXT;
    while (bytes_take_line(&rest, &line)) {
        if (bytes_equal(line, BEGIN)) {
            if (document->count == MOST_SIGNATURES)
                return &TOO_MANY;
            if (!parse_signature(&rest, text.len, &document->signatures[document->count++]))
                return &DAMAGED;
        } else if (document->count > 0) {
            return &DAMAGED;
        }
    }
    /* A signature would complete the line that begins one. Text behind the signatures would be
     * covered by none of them. */
    if (bytes_equal(rest, BEGIN) || (document->count > 0 && rest.len > 0))
        return &DAMAGED;
    return NULL;
}

const struct problem *document_obstacle(const struct document *document)
{
    if (document->count == MOST_SIGNATURES)
        return &FULL;
    return document->text.len > MOST_BYTES - ROOM ? &TOO_LONG : NULL;
}

static void add_base64_line(struct buffer *to, struct bytes name, struct bytes bytes)
{
    buffer_add(to, name);
    buffer_add_base64(to, bytes);
    buffer_add(to, LINE_FEED);
}

void document_add_head(struct buffer *to, struct bytes text, const struct signature *signature)
{
    if (text.at[text.len - 1] != '\n')
        buffer_add(to, LINE_FEED);
    buffer_add(to, BEGIN);
    buffer_add(to, LINE_FEED);
    buffer_add(to, TIME);
    buffer_add_decimal(to, signature->time);
    buffer_add(to, LINE_FEED);
    buffer_add(to, ALGORITHM);
    buffer_add(to, bytes_of_text(signature->algorithm->name));
    buffer_add(to, LINE_FEED);
    for (size_t i = 0; i < signature->chain_len; i++)
        add_base64_line(to, CERTIFICATE, signature->chain[i]);
}

void document_add_tail(struct buffer *to, const struct signature *signature)
{
    add_base64_line(to, VALUE, signature->value);
    if (signature->token.len > 0)
        add_base64_line(to, TIMESTAMP, signature->token);
    buffer_add(to, END);
    buffer_add(to, LINE_FEED);
}

void document_add_id(struct buffer *to, size_t index)
{
    buffer_add(to, TEXT("signature-"));
    buffer_add_decimal(to, (int64_t)index + 1);
}
