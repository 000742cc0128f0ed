/* pool.c - large buffers that come and go with each cluster: shared memory and its shadow, registers, tensor memory.
 * Given back to the system and taken anew, their page faults would cost more than many a kernel; so they are kept for
 * the next cluster of the same shape, the last one first, since that is still in the caches. */
#include <pthread.h>
#include <stdlib.h>
#include "core.h"

enum { KINDS = 64, SMALL = 16 << 10 };
static const size_t keep_at_most = (size_t)1 << 30;
typedef struct buffer { struct buffer *next; } buffer;
static struct { size_t bytes; buffer *list; } kind[KINDS];
static size_t kept;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t rounded(size_t bytes) { return (bytes + 4095) / 4096 * 4096; }
void *emu_take(size_t bytes)
{
    size_t n = rounded(bytes);
    void *p = NULL;
    if (bytes >= SMALL) {
        pthread_mutex_lock(&lock);
        for (int k = 0; k < KINDS && kind[k].bytes && !p; k++)
            if (kind[k].bytes == n && kind[k].list) { p = kind[k].list; kind[k].list = kind[k].list->next; kept -= n; }
        pthread_mutex_unlock(&lock);
    }
    return p ? p : aligned_alloc(4096, n);
}
void emu_give(void *p, size_t bytes)
{
    size_t n = rounded(bytes);
    if (p && bytes >= SMALL) {
        pthread_mutex_lock(&lock);
        int k = 0;
        while (k < KINDS && kind[k].bytes && kind[k].bytes != n) k++;
        for (int j = 0; k == KINDS && j < KINDS; j++) if (!kind[j].list) k = j;      /* a size that nobody has now */
        if (k < KINDS && kept + n <= keep_at_most) {
            kind[k].bytes = n;
            ((buffer *)p)->next = kind[k].list;
            kind[k].list = p;
            kept += n;
            p = NULL;
        }
        pthread_mutex_unlock(&lock);
    }
    free(p);
}
