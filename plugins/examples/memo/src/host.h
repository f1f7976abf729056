/* Cryptography of the host. */
#pragma once
#include "bytes.h"
#include "verdict.h"

/* False where the host does not know the algorithm. */
bool host_digest(const char *algorithm, struct bytes bytes, struct bytes *digest);

/* Tells whether `value` is a signature of `digest` under a SubjectPublicKeyInfo; unknown where the
 * host cannot compute it. */
enum outcome host_verify(struct bytes key, const char *algorithm, struct bytes digest,
                         struct bytes value);
