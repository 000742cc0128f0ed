/* alloc.c - the allocations that kernels may touch: device memory, constant banks, parameters, pinned and managed host
 * memory;
 * which of their bytes have been written; what was freed. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "core.h"
#include "alloc.h"

/* Sorted by address. Readers take a lock only when their last hit does not serve or the table has changed. */
static alloc **table; static int ntable, cap_table;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static _Atomic uint64_t generation = 1;
static struct { uint64_t base, size; char what[32]; } freed[4096]; static int nfreed;

static int position(uint64_t a)         /* first entry whose base is > a */
{
    int lo = 0, hi = ntable;
    while (lo < hi) { int mid = (lo + hi) / 2; if (table[mid]->base <= a) lo = mid + 1; else hi = mid; }
    return lo;
}
static void insert(alloc *a)
{
    pthread_rwlock_wrlock(&lock);
    if (ntable == cap_table)
        table = realloc(table, (size_t)(cap_table = cap_table ? 2 * cap_table : 256) * sizeof *table);
    int p = position(a->base);
    memmove(&table[p + 1], &table[p], (size_t)(ntable - p) * sizeof *table);
    table[p] = a;
    ntable++;
    generation++;
    pthread_rwlock_unlock(&lock);
}
alloc *alloc_at(uint64_t addr)
{
    static __thread alloc *last; static __thread uint64_t last_generation;
    if (last && last_generation == atomic_load_explicit(&generation, memory_order_relaxed)
        && addr - last->base < last->size)
        return last;
    pthread_rwlock_rdlock(&lock);
    int p = position(addr);
    alloc *a = p > 0 && addr - table[p - 1]->base < table[p - 1]->size ? table[p - 1] : NULL;
    last = a;
    last_generation = generation;
    pthread_rwlock_unlock(&lock);
    return a;
}
enum { GAP = 4096 };                    /* between allocations, so that an overrun meets nobody */
void *emu_alloc(size_t size, const char *what)
{
    if (!size) size = 1;
    size_t n = (size + 511) / 512 * 512 + GAP;
    uint8_t *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    alloc *a = calloc(1, sizeof *a);
    *a = (alloc){.base = (uint64_t)(uintptr_t)p, .size = size, .mapped = n};
    snprintf(a->what, sizeof a->what, "%s", what);
    if (size <= 16u << 20) memset(p, 0xcd, size);
    a->init = mmap(NULL, size / 8 + 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (a->init == MAP_FAILED) a->init = NULL;
    insert(a);
    return p;
}
void emu_alloc_host(void *p, size_t size, const char *what)
{
    alloc *a = calloc(1, sizeof *a);
    *a = (alloc){.base = (uint64_t)(uintptr_t)p, .size = size, .host = 1};
    snprintf(a->what, sizeof a->what, "%s", what);
    insert(a);
}
static uint64_t writer_bytes(const alloc *a) { return a->size / 4 + 16; }
int emu_free(void *p)
{
    pthread_rwlock_wrlock(&lock);
    int k = position((uint64_t)(uintptr_t)p) - 1;
    if (k < 0 || table[k]->base != (uint64_t)(uintptr_t)p) { pthread_rwlock_unlock(&lock); return -1; }
    alloc *a = table[k];
    memmove(&table[k], &table[k + 1], (size_t)(ntable - k - 1) * sizeof *table);
    ntable--;
    generation++;
    int f = nfreed++ % 4096;
    freed[f].base = a->base; freed[f].size = a->size;
    snprintf(freed[f].what, sizeof freed[f].what, "%s", a->what);
    pthread_rwlock_unlock(&lock);
    if (a->init) munmap(a->init, a->size / 8 + 16);
    if (a->writer) munmap(a->writer, writer_bytes(a));
    if (a->mapped) munmap(p, a->mapped);
    /* the entry itself stays: another thread's last hit may point to it until it sees the new generation */
    return 0;
}
void *emu_alloc_find(uint64_t addr, uint64_t *base, uint64_t *size)
{
    alloc *a = alloc_at(addr);
    if (!a) return NULL;
    if (base) *base = a->base;
    if (size) *size = a->size;
    return (void *)(uintptr_t)a->base;
}
int emu_global_ok(uint64_t addr, uint64_t size, int write, char *why, size_t n)
{
    alloc *a = alloc_at(addr);
    if (a && size <= a->size && addr - a->base <= a->size - size) {
        if (write && a->readonly) {
            snprintf(why, n, "%#llx lies in %s%s, which kernels cannot write", (unsigned long long)addr,
                     a->readonly == 2 ? "__constant__ memory, variable " : "", a->what);
            return 0;
        }
        return 1;
    }
    if (a) {
        snprintf(why, n, "[%#llx, +%llu) runs past the end of the allocation [%#llx, +%llu) (%s)",
                 (unsigned long long)addr, (unsigned long long)size, (unsigned long long)a->base,
                 (unsigned long long)a->size, a->what);
        return 0;
    }
    pthread_rwlock_rdlock(&lock);
    int p = position(addr), was_freed = -1;
    alloc *below = p > 0 ? table[p - 1] : NULL, *above = p < ntable ? table[p] : NULL;
    for (int k = 0; k < (nfreed < 4096 ? nfreed : 4096); k++) if (addr - freed[k].base < freed[k].size) was_freed = k;
    if (was_freed >= 0)
        snprintf(why, n, "%#llx lies in [%#llx, +%llu) (%s), which has been freed", (unsigned long long)addr,
                 (unsigned long long)freed[was_freed].base, (unsigned long long)freed[was_freed].size,
                 freed[was_freed].what);
    else if (below && addr - (below->base + below->size) < 1u << 20)
        snprintf(why, n, "%#llx is %llu bytes past the end of the allocation [%#llx, +%llu) (%s)",
                 (unsigned long long)addr, (unsigned long long)(addr - below->base - below->size),
                 (unsigned long long)below->base, (unsigned long long)below->size, below->what);
    else if (above && above->base - addr < 1u << 20)
        snprintf(why, n, "%#llx is %llu bytes before the allocation [%#llx, +%llu) (%s)", (unsigned long long)addr,
                 (unsigned long long)(above->base - addr), (unsigned long long)above->base,
                 (unsigned long long)above->size, above->what);
    else
        snprintf(why, n, "%#llx is in no allocation that the device can reach%s", (unsigned long long)addr,
                 addr < 1024 ? " (a null pointer)"
                 : addr < 4096
                 ? " (a null pointer plus an offset, or a 32-bit address of shared memory used as a pointer?)"
                 : addr < 1u
                 << 27 ? " (a 32-bit address of shared memory used as a pointer, or a null pointer plus an offset?)"
                 : addr >> 40 ? " (host memory?)" : "");
    pthread_rwlock_unlock(&lock);
    return was_freed >= 0 ? -1 : 0;
}
static void bits_set(uint8_t *b, uint64_t from, uint64_t n, int on)
{
    while (n) {
        uint64_t k = from / 8, r = from % 8, m = 8 - r < n ? 8 - r : n;
        if (m == 8) {
            uint64_t whole = n / 8;
            memset(b + k, on ? 255 : 0, whole);
            m = whole * 8;
        } else {
            uint8_t bits = (uint8_t)(((1u << m) - 1) << r);
            if (on) { if ((b[k] & bits) != bits) __atomic_fetch_or(&b[k], bits, __ATOMIC_RELAXED); }
            else __atomic_fetch_and(&b[k], (uint8_t)~bits, __ATOMIC_RELAXED);
        }
        from += m; n -= m;
    }
}
void alloc_mark(alloc *a, uint64_t addr, uint64_t size) { if (a->init) bits_set(a->init, addr - a->base, size, 1); }
void alloc_wrote(alloc *a, uint64_t addr, uint64_t size, uint8_t mark)
{
    if (!size) return;
    if (!a->writer) {
        static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
        pthread_mutex_lock(&first);
        if (!a->writer) {
            void *p = mmap(NULL, writer_bytes(a), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (p != MAP_FAILED) __atomic_store_n(&a->writer, (uint8_t *)p, __ATOMIC_RELEASE);
        }
        pthread_mutex_unlock(&first);
        if (!a->writer) return;
    }
    const uint64_t from = (addr - a->base) / 4, to = (addr - a->base + size - 1) / 4;
    memset(a->writer + from, mark, to - from + 1);
}
void alloc_unmark_writers(void)
{
    pthread_rwlock_rdlock(&lock);
    for (int k = 0; k < ntable; k++)
        if (table[k]->writer) madvise(table[k]->writer, writer_bytes(table[k]), MADV_DONTNEED);
    pthread_rwlock_unlock(&lock);
}
uint64_t alloc_uninit(const alloc *a, uint64_t addr, uint64_t size)
{
    if (!a->init) return 0;
    uint64_t o = addr - a->base, end = o + size;
    while (o < end) {
        if (o % 8 == 0 && end - o >= 8) { if (a->init[o / 8] == 255) { o += 8; continue; } }
        else if (o % 4 == 0 && end - o >= 4 && (a->init[o / 8] >> o % 8 & 15) == 15) { o += 4; continue; }
        if (!(a->init[o / 8] >> o % 8 & 1)) return a->base + o;
        o++;
    }
    return 0;
}
void emu_global_mark(uint64_t addr, uint64_t size, int on)
{
    alloc *a = alloc_at(addr);
    if (!a || !a->init) return;
    if (size > a->size - (addr - a->base)) size = a->size - (addr - a->base);
    bits_set(a->init, addr - a->base, size, on);
}
uint64_t emu_global_uninit(uint64_t addr, uint64_t size)
{
    alloc *a = alloc_at(addr);
    return emu_opt.checks && a && size <= a->size - (addr - a->base) ? alloc_uninit(a, addr, size) : 0;
}

/* Parameter blocks: one region, known to the table, so that a launch does not change it */
static uint8_t *params; static uint32_t params_used[64];
static pthread_mutex_t params_lock = PTHREAD_MUTEX_INITIALIZER;
enum { PARAM_BYTES = 36864, PARAM_BLOCKS = 64 };
uint8_t *emu_param_block(size_t n)
{
    pthread_mutex_lock(&params_lock);
    if (!params) {
        params = emu_alloc((size_t)PARAM_BYTES * PARAM_BLOCKS, "kernel parameters");
        alloc *a = alloc_at((uint64_t)(uintptr_t)params);
        a->readonly = 1;
        munmap(a->init, a->size / 8 + 16);
        a->init = NULL;
    }
    int k = 0;
    while (k < PARAM_BLOCKS - 1 && params_used[k]) k++;
    params_used[k] = 1;
    pthread_mutex_unlock(&params_lock);
    return n <= PARAM_BYTES ? params + (size_t)k * PARAM_BYTES : NULL;
}
void emu_param_free(uint8_t *p)
{
    pthread_mutex_lock(&params_lock);
    params_used[(size_t)(p - params) / PARAM_BYTES] = 0;
    pthread_mutex_unlock(&params_lock);
}
