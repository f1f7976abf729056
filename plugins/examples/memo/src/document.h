/* The format: text with signatures behind it. The README has its grammar. */
#pragma once
#include "bytes.h"

/* Everything of a document crosses the boundary in one call, of which every host takes 1 MiB. */
#define MOST_BYTES ((size_t)1 << 20)
/* What a signature adds is kept free in a document that is to be signed: as much for certificates
 * as for value and time-stamp. */
#define ROOM ((size_t)128 * 1024)
/* Verifying takes a digest for each. */
#define MOST_SIGNATURES ((size_t)64)
#define MOST_CERTIFICATES ((size_t)8)
/* The end of the year 9999, in seconds since 1970. */
#define LATEST INT64_C(253402300799)

/* A signature algorithm of the catalogue, and its digest. */
struct algorithm {
    const char *name;
    const char *digest;
};

struct signature {
    /* As many bytes of the document, from its start, are what the value signs. */
    size_t covered;
    int64_t time;
    const struct algorithm *algorithm;
    /* The signer's certificate first. */
    struct bytes chain[MOST_CERTIFICATES];
    size_t chain_len;
    struct bytes value;
    /* Empty where there is no time-stamp. */
    struct bytes token;
};

struct document {
    struct bytes text;
    struct signature *signatures;
    size_t count;
};

struct problem {
    const char *code;
    const char *detail;
};

/* NULL where the format has none of this name. */
const struct algorithm *algorithm_named(struct bytes name);

/* Returns what is wrong with a document; NULL where nothing is. */
const struct problem *document_parse(struct bytes text, struct document *document);

/* Returns why a document takes no further signature; NULL where it does. */
const struct problem *document_obstacle(const struct document *document);

/* Appends what the next signature adds before its value. `signature` has the time, the algorithm
 * and the certificates. */
void document_add_head(struct buffer *to, struct bytes text, const struct signature *signature);

/* Appends the rest: the value and the time-stamp. */
void document_add_tail(struct buffer *to, const struct signature *signature);

/* Appends the id of a signature, counted from 0. */
void document_add_id(struct buffer *to, size_t index);
