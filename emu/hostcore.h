/* hostcore.h - private to hostcore.c, hostmodule.c and hostwork.c, which lie under both CUDA APIs */
#ifndef EMU_HOSTCORE_H
#define EMU_HOSTCORE_H
#include "host.h"

/* ---- hostcore.c ---- */
extern int host_stuck;                              /* a kernel failed: its context is lost */
int host_is_sticky(int e);
/* Maps from pointers */
typedef struct { const void **key; void **val; size_t cap, fill; } host_map;  /* key: 0 empty, 1 deleted */
void *host_map_get(const host_map *m, const void *k);
void host_map_put(host_map *m, const void *k, void *v);
void host_map_del(host_map *m, const void *k);

/* ---- hostmodule.c ---- */
extern host_image *host_images;                     /* all that live */
#endif
