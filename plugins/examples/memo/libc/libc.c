/* Memory and strings for a component without a C library. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PAGE ((size_t)65536)
#define ALIGNMENT ((size_t)16)

/* The linker places it behind data and stack. */
extern unsigned char __heap_base;

static uintptr_t heap_end;

_Noreturn void abort(void)
{
    __builtin_trap();
}

/* An instance answers one call and is gone, so that nothing is ever reused. */
void *malloc(size_t len)
{
    if (heap_end == 0)
        heap_end = (uintptr_t)&__heap_base;
    uint64_t start = ((uint64_t)heap_end + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
    uint64_t end = start + len;
    uint64_t have = (uint64_t)__builtin_wasm_memory_size(0) * PAGE;
    if (end > UINT32_MAX)
        abort();
    if (end > have) {
        uint64_t pages = (end - have + PAGE - 1) / PAGE;
        if (__builtin_wasm_memory_grow(0, (size_t)pages) == SIZE_MAX)
            abort();
    }
    heap_end = (uintptr_t)end;
    return (void *)(uintptr_t)start;
}

/* Memory that nobody had before is zero. */
void *calloc(size_t count, size_t len)
{
    if (len > 0 && count > SIZE_MAX / len)
        abort();
    return malloc(count * len);
}

/* The old length is not known: whatever follows the old block is copied, too, which ends before
 * the end of the new one, because blocks are handed out in ascending order. */
void *realloc(void *old, size_t len)
{
    void *block = malloc(len);
    if (old != NULL)
        memmove(block, old, len);
    return block;
}

void free(void *block)
{
    (void)block;
}

void *memcpy(void *to, const void *from, size_t len)
{
    return __builtin_memcpy(to, from, len);
}

void *memmove(void *to, const void *from, size_t len)
{
    return __builtin_memmove(to, from, len);
}

void *memset(void *to, int byte, size_t len)
{
    return __builtin_memset(to, byte, len);
}

int memcmp(const void *a, const void *b, size_t len)
{
    const unsigned char *left = a, *right = b;
    for (size_t i = 0; i < len; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

size_t strlen(const char *text)
{
    size_t len = 0;
    while (text[len] != '\0')
        len++;
    return len;
}
