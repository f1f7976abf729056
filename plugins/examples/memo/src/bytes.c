#include "bytes.h"

#include <stdlib.h>
#include <string.h>

static const char ALPHABET[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

struct bytes bytes_from(struct bytes whole, size_t start)
{
    return (struct bytes){whole.at + start, whole.len - start};
}

struct bytes bytes_of_text(const char *text)
{
    return (struct bytes){(const uint8_t *)text, strlen(text)};
}

struct bytes bytes_in(const struct buffer *buffer)
{
    return (struct bytes){buffer->at, buffer->len};
}

bool bytes_equal(struct bytes a, struct bytes b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

bool bytes_strip(struct bytes *in, struct bytes prefix)
{
    if (in->len < prefix.len || memcmp(in->at, prefix.at, prefix.len) != 0)
        return false;
    *in = bytes_from(*in, prefix.len);
    return true;
}

bool bytes_take_line(struct bytes *in, struct bytes *line)
{
    for (size_t i = 0; i < in->len; i++) {
        if (in->at[i] == '\n') {
            *line = (struct bytes){in->at, i};
            *in = bytes_from(*in, i + 1);
            return true;
        }
    }
    return false;
}

bool bytes_decimal(struct bytes digits, int64_t *value)
{
    /* As many always fit. */
    if (digits.len == 0 || digits.len > 18 || (digits.len > 1 && digits.at[0] == '0'))
        return false;
    *value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.at[i] < '0' || digits.at[i] > '9')
            return false;
        *value = *value * 10 + (digits.at[i] - '0');
    }
    return true;
}

bool bytes_are_utf8(struct bytes text)
{
    static const uint32_t LEAST[] = {0, 0x80, 0x800, 0x10000};

    for (size_t i = 0; i < text.len;) {
        uint8_t first = text.at[i++];
        size_t more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
        if ((first >= 0x80 && first < 0xC2) || first > 0xF4 || text.len - i < more)
            return false;
        uint32_t point = more == 0 ? first : first & (0x3Fu >> more);
        for (size_t j = 0; j < more; j++) {
            uint8_t next = text.at[i++];
            if ((next & 0xC0) != 0x80)
                return false;
            point = point << 6 | (next & 0x3F);
        }
        if (point < LEAST[more] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
            return false;
    }
    return true;
}

static void make_room(struct buffer *to, size_t more)
{
    if (to->room - to->len >= more)
        return;
    to->room = 2 * to->room + more;
    uint8_t *grown = malloc(to->room);
    if (to->len > 0)
        memcpy(grown, to->at, to->len);
    to->at = grown;
}

void buffer_add(struct buffer *to, struct bytes bytes)
{
    if (bytes.len == 0)
        return;
    make_room(to, bytes.len);
    memcpy(to->at + to->len, bytes.at, bytes.len);
    to->len += bytes.len;
}

void buffer_add_decimal(struct buffer *to, int64_t value)
{
    uint8_t digits[20];
    size_t start = sizeof digits;
    do {
        digits[--start] = (uint8_t)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    buffer_add(to, (struct bytes){digits + start, sizeof digits - start});
}

void buffer_add_base64(struct buffer *to, struct bytes bytes)
{
    make_room(to, (bytes.len + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t have = bytes.len - i < 3 ? bytes.len - i : 3;
        uint32_t group = (uint32_t)bytes.at[i] << 16;
        if (have > 1)
            group |= (uint32_t)bytes.at[i + 1] << 8;
        if (have > 2)
            group |= bytes.at[i + 2];
        for (size_t j = 0; j < 4; j++) {
            char digit = j <= have ? ALPHABET[group >> (18 - 6 * j) & 63] : '=';
            to->at[to->len++] = (uint8_t)digit;
        }
    }
}

static int sextet(uint8_t digit)
{
    if (digit >= 'A' && digit <= 'Z')
        return digit - 'A';
    if (digit >= 'a' && digit <= 'z')
        return digit - 'a' + 26;
    if (digit >= '0' && digit <= '9')
        return digit - '0' + 52;
    return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

bool base64_decode(struct bytes text, struct bytes *decoded)
{
    if (text.len == 0 || text.len % 4 != 0)
        return false;
    size_t padding = 0;
    while (padding < 2 && text.at[text.len - 1 - padding] == '=')
        padding++;
    uint8_t *bytes = malloc(text.len / 4 * 3);
    size_t len = 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < text.len - padding; i++) {
        int value = sextet(text.at[i]);
        if (value < 0)
            return false;
        bits = bits << 6 | (uint32_t)value;
        size_t unread = (i % 4) * 2;
        if (unread > 0)
            bytes[len++] = (uint8_t)(bits >> (6 - unread));
    }
    if (padding > 0 && (bits & ((1u << 2 * padding) - 1)) != 0)
        return false;
    *decoded = (struct bytes){bytes, len};
    return true;
}
