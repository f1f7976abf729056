/* RFC 3161 time-stamp tokens. */
#pragma once
#include "bytes.h"
#include "verdict.h"

struct timestamp {
    bool has_time;
    /* Seconds since 1970. */
    int64_t time;
    struct verdict integrity;
};

/* Checks that `token` stamps `value`, and that its maker signed it. Whom to trust is the host's to
 * decide. */
struct timestamp timestamp_check(struct bytes token, struct bytes value);
