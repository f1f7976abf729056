/* Bytes, and the text that is made of them. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that somebody else keeps. */
struct bytes {
    const uint8_t *at;
    size_t len;
};

/* Bytes that grow. */
struct buffer {
    uint8_t *at;
    size_t len;
    size_t room;
};

/* The bytes of a string literal. */
#define TEXT(literal) ((struct bytes){(const uint8_t *)(literal), sizeof(literal) - 1})

struct bytes bytes_from(struct bytes whole, size_t start);
struct bytes bytes_of_text(const char *text);
struct bytes bytes_in(const struct buffer *buffer);
bool bytes_equal(struct bytes a, struct bytes b);

/* Removes `prefix` from the front, if it is there. */
bool bytes_strip(struct bytes *in, struct bytes prefix);

/* Takes the front up to the next line feed, and the line feed. False without one. */
bool bytes_take_line(struct bytes *in, struct bytes *line);

/* Reads digits without a leading zero. */
bool bytes_decimal(struct bytes digits, int64_t *value);

/* RFC 3629, without surrogates and overlong forms. */
bool bytes_are_utf8(struct bytes text);

void buffer_add(struct buffer *to, struct bytes bytes);
void buffer_add_decimal(struct buffer *to, int64_t value);

/* RFC 4648, 4: with padding, and with no line feeds. */
void buffer_add_base64(struct buffer *to, struct bytes bytes);

/* Decodes base64 that is not empty. There is one text for any bytes: a padding whose bits are not
 * zero is refused. */
bool base64_decode(struct bytes text, struct bytes *decoded);
