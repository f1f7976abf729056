/* The part of <stdlib.h> that the plugin and its bindings use. */
#pragma once
#include <stddef.h>

void *malloc(size_t len);
void *calloc(size_t count, size_t len);
void *realloc(void *old, size_t len);
void free(void *block);
_Noreturn void abort(void);
