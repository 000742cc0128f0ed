/* hostwork.c - the work under both CUDA APIs: launches, copies, fills and calls; the streams that carry it, events,
 * captured graphs.
 * It is performed at the call. Streams only carry names and, while one is being captured, the graph that its work
 * becomes part of. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hostcore.h"

/* ---- Performing work ---- */
static uint64_t ticks;                              /* what copies and launches add to the emulated time */
static uint64_t now(void) { return emu_clock() + ticks; }

static const char *demangled(const char *name, char **buf)
{
    static char *(*f)(const char *, char *, size_t *, int *);
    if (!f) f = (char *(*)(const char *, char *, size_t *, int *))dlsym(RTLD_DEFAULT, "__cxa_demangle");
    int st = 1;
    *buf = f ? f(name, NULL, NULL, &st) : NULL;
    return *buf && !st ? *buf : name;
}

static const void *launched_in;                     /* where the last operation was, if it was a launch */
static int perform_launch(host_op *op)
{
    CUfunction f = op->launch.f;
    emu_launch_config c = op->launch.c;
    char why[1024] = "", *buf = NULL;
    int before = emu_error_count();
    if (!c.cluster.x) c.cluster = f->cluster;
    c.pdl = c.pdl && op->where && op->where == launched_in; /* else it waits for all that comes before it */
    int e = emu_launch(f->k, &c, op->launch.args, op->launch.packed, op->launch.size, why, sizeof why);
    ++ticks;
    if (e && *why && (!host_is_sticky(e) || emu_error_count() == before)) {
        host_say("%s: %s", demangled(f->name, &buf), why);
        free(buf);
    }
    if (e == cudaErrorNotSupported && emu_error_count() == before) host_not_run();
    if (host_is_sticky(e)) host_stuck = e;
    launched_in = e ? NULL : op->where;
    return e;
}

/* Is [addr, addr + n) what the copy's direction says? want: 1 device, 0 host, -1 either. *tracked: it lies in device
 * memory */
static int check_range(const char *api, const char *what, const void *p, size_t n, int want, int *tracked)
{
    uint64_t addr = (uintptr_t)p, base, size;
    int kind = host_region(addr, &base, &size, NULL);
    *tracked = 0;
    if (!kind) {
        if (want == 1) {
            char why[256] = "";
            if (!p || emu_global_ok(addr, n, 0, why, sizeof why)) *why = 0;
            host_say("%s: the %s %p is not device memory%s%s", api, what, p, *why ? ": " : "", why);
            return cudaErrorInvalidValue;
        }
        if (!p) { host_say("%s: the %s is a null pointer", api, what); return cudaErrorInvalidValue; }
        return 0;
    }
    if (want == 0 && kind == M_DEVICE) {
        host_say("%s: the %s %p is device memory, where the direction says host memory", api, what, p);
        return cudaErrorInvalidValue;
    }
    if (addr - base > size || n > size - (addr - base)) {
        /* a copy may run from registered host memory into the pageable memory behind it */
        if (kind == M_REGISTERED && want != 1) return 0;
        host_say("%s: %zu bytes at the %s %p: the allocation of %llu bytes at %#llx ends after %llu of them", api, n,
                 what, p, (unsigned long long)size, (unsigned long long)base,
                 (unsigned long long)(size - (addr - base)));
        return cudaErrorInvalidValue;
    }
    uint64_t b2, s2;
    *tracked = emu_alloc_find(addr, &b2, &s2) != NULL;
    return 0;
}

/* copied bytes are as initialised as their source */
static void mark_copied(char *dst, const char *src, size_t n, int src_tracked)
{
    uint64_t d = (uintptr_t)dst, s = (uintptr_t)src;
    if (!emu_opt.checks || !src_tracked || !emu_global_uninit(s, n)) { emu_global_mark(d, n, 1); return; }
    for (size_t i = 0; i < n; i += 64) {
        size_t c = n - i < 64 ? n - i : 64;
        if (!emu_global_uninit(s + i, c)) { emu_global_mark(d + i, c, 1); continue; }
        for (size_t k = i; k < i + c; ++k) emu_global_mark(d + k, 1, !emu_global_uninit(s + k, 1));
    }
}

static size_t span(size_t w, size_t h, size_t d, size_t pitch, size_t slice)
{
    return (d - 1) * slice + (h - 1) * pitch + w;
}

static int copy(host_op *op)
{
    size_t w = op->copy.width, h = op->copy.height, d = op->copy.depth;
    int kind = op->copy.kind, dt, st, e;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
        host_say("%s: %d is no direction", op->api, kind);
        return cudaErrorInvalidMemcpyDirection;
    }
    if (!w || !h || !d) return 0;
    if ((h > 1 && (op->copy.dpitch < w || op->copy.spitch < w)) ) {
        host_say("%s: rows of %zu bytes, but a pitch of %zu", op->api, w, op->copy.dpitch < w ? op->copy.dpitch
                 : op->copy.spitch);
        return cudaErrorInvalidPitchValue;
    }
    int want_d = kind == cudaMemcpyDefault ? -1 : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    int want_s = kind == cudaMemcpyDefault ? -1 : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    e = check_range(op->api, "destination", op->copy.dst, span(w, h, d, op->copy.dpitch, op->copy.dslice), want_d, &dt);
    if (!e)
        e = check_range(op->api, "source", op->copy.src, span(w, h, d, op->copy.spitch, op->copy.sslice), want_s, &st);
    if (e) return e;
    if (h == 1 || (op->copy.dpitch == w && op->copy.spitch == w)) {         /* rows lie one after another */
        if (d == 1 || (op->copy.dslice == w * h && op->copy.sslice == w * h)) { w *= h * d; h = d = 1; }
        else { w *= h; h = 1; }
    }
    for (size_t z = 0; z < d; ++z)
        for (size_t y = 0; y < h; ++y) {
            char *q = op->copy.dst + z * op->copy.dslice + y * op->copy.dpitch;
            const char *p = op->copy.src + z * op->copy.sslice + y * op->copy.spitch;
            if (dt) mark_copied(q, p, w, st);
            memmove(q, p, w);
        }
    ticks += 1 + w * h * d / 256;
    return 0;
}

static int set(host_op *op)
{
    size_t w = op->set.width, h = op->set.height, d = op->set.depth;
    int t, unit = op->set.unit;
    if (!w || !h || !d) return 0;
    if (h > 1 && op->set.pitch < w) {
        host_say("%s: rows of %zu bytes, but a pitch of %zu", op->api, w, op->set.pitch);
        return cudaErrorInvalidPitchValue;
    }
    if (((uintptr_t)op->set.dst | (h > 1 ? op->set.pitch : 0)) & (size_t)(unit - 1)) {
        host_say("%s: %p is not aligned to the %d bytes of the value", op->api, (void *)op->set.dst, unit);
        return cudaErrorInvalidValue;
    }
    int e = check_range(op->api, "destination", op->set.dst, span(w, h, d, op->set.pitch, op->set.slice), 1, &t);
    if (e) return e;
    for (size_t z = 0; z < d; ++z)
        for (size_t y = 0; y < h; ++y) {
            char *q = op->set.dst + z * op->set.slice + y * op->set.pitch;
            if (unit == 1) memset(q, (int)op->set.value, w);
            else if (unit == 2) for (size_t x = 0; x < w / 2; ++x) ((uint16_t *)(void *)q)[x] = (uint16_t)op->set.value;
            else for (size_t x = 0; x < w / 4; ++x) ((uint32_t *)(void *)q)[x] = op->set.value;
            if (t) emu_global_mark((uintptr_t)q, w, 1);
        }
    ticks += 1 + w * h * d / 256;
    return 0;
}

static int perform(host_op *op)
{
    int e = 0;
    if (op->kind != OP_LAUNCH) launched_in = NULL;
    switch (op->kind) {
    case OP_LAUNCH: return perform_launch(op);
    case OP_COPY: return copy(op);
    case OP_SET: return set(op);
    case OP_RECORD:
        op->record.event->recorded = 1; op->record.event->when = now();
        return 0;
    case OP_CALL:
        host_unlock();                              /* the function may wait for other threads */
        op->call.fn(op->call.data);
        host_lock();
        return 0;
    case OP_GRAPH:
        for (host_op *o = op->graph.graph->first; o && !e; o = o->next) e = perform(o);
        launched_in = NULL;
        return e;
    }
    return cudaErrorUnknown;
}

/* ---- Streams and events ---- */
static host_map streams, events, graphs;
static unsigned long long next_id = 3;              /* 1 and 2 are the default streams' */
static int captures;                                /* streams in capture that the legacy stream would wait for */

int host_stream(CUstream s, const char *api)
{
    if ((uintptr_t)s <= 2 || host_map_get(&streams, s)) return 0;
    host_say("%s: %p is no stream", api, (void *)s);
    return cudaErrorInvalidResourceHandle;
}
static struct CUgraph_st *capture_of(CUstream s) { return (uintptr_t)s > 2 ? s->capture : NULL; }
/* Is the capture that the event was recorded in still going on? */
static int capturing(CUevent e)
{
    return e->capture && host_map_get(&graphs, e->capture) && e->capture->id == e->capture_id && !e->capture->over;
}

int host_stream_new(CUstream *s, unsigned flags, int priority)
{
    if (!s || flags > 1) return cudaErrorInvalidValue;
    if (!(*s = calloc(1, sizeof **s))) return cudaErrorMemoryAllocation;
    (*s)->flags = flags; (*s)->id = next_id++;
    (*s)->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    host_map_put(&streams, *s, *s);
    host_used();
    return 0;
}
int host_stream_free(CUstream s, const char *api)
{
    int e = host_stream(s, api);
    if (e || (uintptr_t)s <= 2) return e ? e : cudaErrorInvalidResourceHandle;
    if (s->capture) {
        s->capture->invalid = 1;                    /* its capture cannot end well any more */
        if (s->origin && !s->flags) --captures;
        host_graph_free(s->capture);
    }
    host_map_del(&streams, s);
    free(s);
    return 0;
}
int host_stream_sync(CUstream s, const char *api)
{
    int e = host_stream(s, api);
    if (e || !capture_of(s)) return e;
    if (s->capture->invalid) return cudaErrorStreamCaptureInvalidated;
    host_say("%s: the stream is being captured: that spoils the capture", api);
    s->capture->invalid = 1;
    return cudaErrorStreamCaptureUnsupported;
}
/* Spoils the captures of all streams, or of those alone that the legacy stream waits for. Is there any? */
static int spoil(int blocking_only)
{
    int n = 0;
    for (size_t i = 0; i < streams.cap; ++i) {
        CUstream s = (uintptr_t)streams.key[i] > 1 ? streams.val[i] : NULL;
        if (s && s->capture && !(blocking_only && s->flags)) s->capture->invalid = n = 1;
    }
    return n;
}
int host_device_sync(const char *api)
{
    if (!spoil(0)) return 0;
    host_say("%s: a stream is being captured: waiting for the device spoils the capture", api);
    return cudaErrorStreamCaptureUnsupported;
}

int host_event(CUevent e, const char *api)
{
    if (host_map_get(&events, e)) return 0;
    host_say("%s: %p is no event", api, (void *)e);
    return cudaErrorInvalidResourceHandle;
}
/* For waits and queries of the host */
int host_event_sync(CUevent e, const char *api)
{
    int r = host_event(e, api);
    if (r || !e->capture) return r;
    host_say("%s: the event was last recorded in a stream that was being captured", api);
    if (capturing(e)) e->capture->invalid = 1;
    return cudaErrorCapturedEvent;
}
int host_event_new(CUevent *e, unsigned flags)
{
    if (!e || flags & ~7u) return cudaErrorInvalidValue;
    if (!(*e = calloc(1, sizeof **e))) return cudaErrorMemoryAllocation;
    (*e)->flags = flags;
    host_map_put(&events, *e, *e);
    host_used();
    return 0;
}
int host_event_free(CUevent e)
{
    int r = host_event(e, "cudaEventDestroy");
    if (r) return r;
    host_map_del(&events, e);
    free(e);
    return 0;
}
int host_event_record(CUevent e, CUstream s, const char *api)
{
    int r = host_event(e, api);
    if (!r) r = host_stream(s, api);
    if (r) return r;
    e->capture = capture_of(s);                     /* inside a capture an event only joins streams */
    if (e->capture) {
        e->capture_id = e->capture->id;
        memcpy(e->seen, s->seen, sizeof e->seen);
        return e->capture->invalid ? cudaErrorStreamCaptureInvalidated : 0;
    }
    host_op op = { .kind = OP_RECORD, .api = api, .record.event = e };
    return host_submit(s, &op);
}
int host_stream_wait(CUstream s, CUevent e, const char *api)
{
    int r = host_event(e, api);
    if (!r) r = host_stream(s, api);
    if (r) return r;
    struct CUgraph_st *g = capture_of(s), *from = capturing(e) ? e->capture : NULL;
    if ((g && g->invalid) || (from && from->invalid)) return cudaErrorStreamCaptureInvalidated;
    if (from && (uintptr_t)s <= 2) {
        host_say("%s: the default stream cannot become part of a capture", api);
        from->invalid = 1;
        return cudaErrorStreamCaptureImplicit;
    }
    if (g && g != from && (from || e->recorded || e->capture)) {
        host_say("%s: a captured stream cannot wait for an event of %s", api, from ? "another capture"
                 : "before the capture or outside of it");
        g->invalid = 1;
        if (from) from->invalid = 1;
        return from ? cudaErrorStreamCaptureMerge : cudaErrorStreamCaptureIsolation;
    }
    if (!from) return 0;
    /* the stream joins the capture; call order is an order that the graph allows */
    if (!g) {
        s->capture = from;
        ++from->refs;
        s->lane = from->lanes < HOST_LANES ? from->lanes++ : HOST_LANES - 1;
        memset(s->seen, 0, sizeof s->seen);
    }
    for (int i = 0; i < HOST_LANES; ++i) if (s->seen[i] < e->seen[i]) s->seen[i] = e->seen[i];
    return 0;
}
int host_event_elapsed(float *ms, CUevent a, CUevent b, const char *api)
{
    int r = host_event_sync(a, api);
    if (!r) r = host_event_sync(b, api);
    if (r) return r;
    if (!ms) return cudaErrorInvalidValue;
    if (!a->recorded || !b->recorded || (a->flags | b->flags) & cudaEventDisableTiming) {
        host_say("%s: %s", api, !a->recorded || !b->recorded ? "an event was never recorded"
                 : "an event was made with cudaEventDisableTiming");
        return cudaErrorInvalidResourceHandle;
    }
    *ms = (float)((double)(int64_t)(b->when - a->when) * 1e-6);       /* a warp instruction counts as a nanosecond */
    return 0;
}

/* ---- Graphs: the work that a stream captured, in the order of the calls ---- */
int host_graph_new(struct CUgraph_st **g)
{
    if (!g) return cudaErrorInvalidValue;
    if (!(*g = calloc(1, sizeof **g))) return cudaErrorMemoryAllocation;
    (*g)->last = &(*g)->first; (*g)->refs = 1; (*g)->id = next_id++;
    host_map_put(&graphs, *g, *g);
    return 0;
}
int host_graph_free(struct CUgraph_st *g)
{
    if (!host_map_get(&graphs, g)) return cudaErrorInvalidValue;
    if (--g->refs) return 0;
    host_map_del(&graphs, g);
    for (host_op *o = g->first, *n; o; o = n) {
        n = o->next;
        if (o->kind == OP_LAUNCH) free((void *)o->launch.packed);
        if (o->kind == OP_GRAPH) host_graph_free(o->graph.graph);
        free(o);
    }
    free(g);
    return 0;
}
/* An executable graph is its graph, which never changes after the capture */
int host_graph_ref(struct CUgraph_st **exec, struct CUgraph_st *g)
{
    if (!exec || !host_map_get(&graphs, g)) return cudaErrorInvalidValue;
    ++g->refs;
    *exec = g;
    return 0;
}

/* A node is the work itself. Room for more than there are is filled with nulls. */
int host_graph_nodes(struct CUgraph_st *g, host_op **node, size_t *n)
{
    if (!n || !host_map_get(&graphs, g)) return cudaErrorInvalidValue;
    if (!node) { *n = g->n; return 0; }
    host_op *o = g->first;
    size_t had = 0;
    for (size_t i = 0; i < *n; ++i) {
        node[i] = o;
        if (o) { ++had; o = o->next; }
    }
    *n = had;
    return 0;
}
int host_graph_node_type(const host_op *node, int *type)
{
    static const int types[] = { [OP_LAUNCH] = cudaGraphNodeTypeKernel, [OP_COPY] = cudaGraphNodeTypeMemcpy,
                                 [OP_SET] = cudaGraphNodeTypeMemset,
        [OP_CALL] = cudaGraphNodeTypeHost, [OP_RECORD] = cudaGraphNodeTypeEventRecord,
        [OP_GRAPH] = cudaGraphNodeTypeGraph };
    if (!type || !node) return cudaErrorInvalidValue;
    for (size_t i = 0; i < graphs.cap; ++i) {
        struct CUgraph_st *g = (uintptr_t)graphs.key[i] > 1 ? graphs.val[i] : NULL;
        for (host_op *o = g ? g->first : NULL; o; o = o->next) if (o == node) { *type = types[o->kind]; return 0; }
    }
    return cudaErrorInvalidValue;
}

static int graph_add(struct CUgraph_st *g, const host_op *op)
{
    host_op *o = malloc(sizeof *o);
    if (!o) return cudaErrorMemoryAllocation;
    *o = *op;
    o->next = NULL;
    if (op->kind == OP_LAUNCH) {                    /* arguments are taken now */
        ptx_func *fn = op->launch.f->k->fn;
        size_t n = op->launch.args ? fn->param_bytes : op->launch.size;
        char *b = calloc(1, n + 1);
        if (!b) { free(o); return cudaErrorMemoryAllocation; }
        if (op->launch.args)
            for (int i = 0; i < fn->nparam; ++i)
                memcpy(b + fn->param[i]->offset, op->launch.args[i], fn->param[i]->size);
        else if (n) memcpy(b, op->launch.packed, n);
        o->launch.args = NULL; o->launch.packed = b; o->launch.size = n;
    }
    if (op->kind == OP_GRAPH) ++op->graph.graph->refs;
    *g->last = o; g->last = &o->next; ++g->n;
    return 0;
}

int host_capture_begin(CUstream s, int mode)
{
    int e = host_stream(s, "cudaStreamBeginCapture");
    if (e) return e;
    if ((uintptr_t)s <= 2) return cudaErrorStreamCaptureUnsupported;    /* the default streams cannot be captured */
    if (s->capture) return cudaErrorIllegalState;
    if ((e = host_graph_new(&s->capture))) return e;
    s->origin = 1; s->mode = mode; s->lane = 0; s->capture->lanes = 1;
    memset(s->seen, 0, sizeof s->seen);
    if (!s->flags) ++captures;
    return 0;
}
int host_capture_end(CUstream s, struct CUgraph_st **g)
{
    int e = host_stream(s, "cudaStreamEndCapture");
    if (e) return e;
    if (g) *g = NULL;
    if (!g || (uintptr_t)s <= 2 || !s->capture) return !g ? cudaErrorInvalidValue : cudaErrorIllegalState;
    if (!s->origin) return cudaErrorStreamCaptureUnmatched;
    struct CUgraph_st *x = s->capture;
    if (!s->flags) --captures;
    for (size_t i = 0; i < streams.cap; ++i) {      /* and the streams that joined */
        CUstream t = (uintptr_t)streams.key[i] > 1 ? streams.val[i] : NULL;
        if (t && t != s && t->capture == x) { t->capture = NULL; host_graph_free(x); }
    }
    s->capture = NULL; s->origin = 0; x->over = 1;
    e = x->invalid ? cudaErrorStreamCaptureInvalidated : 0;
    for (int i = 0; i < x->lanes && !e; ++i)
        if (s->seen[i] != x->count[i]) {
            host_say("cudaStreamEndCapture: a stream that joined the capture has work that the stream which ends it "
                     "does not wait for");
            e = cudaErrorStreamCaptureUnjoined;
        }
    if (e) host_graph_free(x); else *g = x;
    return e;
}
int host_capture_info(CUstream s, int *status, unsigned long long *id, struct CUgraph_st **g)
{
    int e = host_stream(s, "cudaStreamGetCaptureInfo");
    if (e) return e;
    struct CUgraph_st *x = capture_of(s);
    if (status)
        *status = !x ? cudaStreamCaptureStatusNone
                : x->invalid ? cudaStreamCaptureStatusInvalidated
                : cudaStreamCaptureStatusActive;
    if (x && id) *id = x->id;
    if (g) *g = x;
    return 0;
}

int host_submit(CUstream s, host_op *op)
{
    int e = host_stream(s, op->api);
    if (e) return e;
    host_used();
    if (op->kind == OP_GRAPH && !host_map_get(&graphs, op->graph.graph)) return cudaErrorInvalidValue;
    struct CUgraph_st *g = capture_of(s);
    if (g && g->invalid) return cudaErrorStreamCaptureInvalidated;
    op->where = g ? (const char *)g + s->lane : s ? (const void *)s : (const void *)&streams;
    if (g) {
        s->seen[s->lane] = ++g->count[s->lane];
        return graph_add(g, op);
    }
    if (captures && (uintptr_t)s <= 1) {
        host_say("%s: in the legacy default stream, while a stream that it waits for is being captured: that spoils "
                 "the capture", op->api);
        spoil(1);
        return cudaErrorStreamCaptureImplicit;
    }
    return perform(op);
}

int host_copy(const char *api, void *dst, const void *src, size_t n, int kind, CUstream s)
{
    host_op op = { .kind = OP_COPY, .api = api, .copy = { dst, src, n, n, n, n, n, 1, 1, kind } };
    return host_submit(s, &op);
}
int host_copy_2d(const char *api, void *dst, size_t dpitch, const void *src, size_t spitch, size_t w, size_t h,
                 int kind, CUstream s)
{
    host_op op = { .kind = OP_COPY, .api = api, .copy = { dst, src, dpitch, 0, spitch, 0, w, h, 1, kind } };
    if (dpitch < w || spitch < w) return cudaErrorInvalidPitchValue;
    return host_submit(s, &op);
}
int host_set(const char *api, void *dst, size_t pitch, uint32_t v, int unit, size_t w, size_t h, CUstream s)
{
    host_op op = { .kind = OP_SET, .api = api, .set = { dst, pitch, 0, w * (size_t)unit, h, 1, v, unit } };
    return host_submit(s, &op);
}
int host_call(const char *api, void (*fn)(void *), void *data, CUstream s)
{
    host_op op = { .kind = OP_CALL, .api = api, .call = { fn, data } };
    return fn ? host_submit(s, &op) : cudaErrorInvalidValue;
}

int host_launch_attributes(emu_launch_config *c, const CUlaunchAttribute *a, unsigned n, const char *api)
{
    for (unsigned i = 0; i < n; ++i, ++a)
        switch ((int)a->id) {
        case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
            c->cluster = (emu_dim3){ a->value.clusterDim.x, a->value.clusterDim.y, a->value.clusterDim.z };
            break;
        case CU_LAUNCH_ATTRIBUTE_COOPERATIVE: c->cooperative = a->value.cooperative != 0; break;
        case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
            c->pdl = a->value.programmaticStreamSerializationAllowed != 0; break;
        case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT: case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT: {
            /* the kernel is over when the call returns: an event within it is recorded at its beginning */
            CUevent e = (int)a->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT ? a->value.programmaticEvent.event
                : a->value.launchCompletionEvent.event;
            int r = host_event(e, api);
            if (r) return r;
            e->recorded = 1; e->when = now();
            break;
        }
        /* where and when blocks run, what stays in caches: no difference to results */
        case CU_LAUNCH_ATTRIBUTE_IGNORE: case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
            case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: case CU_LAUNCH_ATTRIBUTE_PRIORITY:
            case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN: case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
        case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
            case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
            break;
        case 17: case 18: {              /* of CUDA 13: PortableClusterSizeMode, SharedMemoryMode */
            int mode;
            memcpy(&mode, &a->value, sizeof mode);
            if (mode < 0 || mode > ((int)a->id == 17 ? 2 : 4)) {
                host_say("%s: %s = %d is not in 0..%d", api, (int)a->id == 17 ? "portableClusterSizeMode"
                         : "sharedMemoryMode", mode, (int)a->id == 17 ? 2 : 4);
                return cudaErrorInvalidValue;
            }
            *((int)a->id == 17 ? &c->cluster_mode : &c->smem_mode) = mode;
            break;
        }
        default:
            host_say("%s: launch attribute %d is not emulated", api, (int)a->id);
            return cudaErrorNotSupported;
        }
    return 0;
}
