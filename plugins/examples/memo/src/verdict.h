/* The outcome of a check, as the contract's variant `check`. */
#pragma once

enum outcome { HOLDS, BROKEN, UNKNOWN };

struct verdict {
    enum outcome outcome;
    /* Why it does not hold, as a code of the catalogue. */
    const char *code;
};
