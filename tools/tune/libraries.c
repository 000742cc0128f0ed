/* libraries.c - shared libraries of the toolkit and the driver, opened at run time. */
#include "tune.h"
#include <dlfcn.h>

/* base: "libnvrtc.so"; versions end with 0, which stands for the name without one. NULL: why says what was tried. */
void *library_open(const request *r, const char *base, const int *versions, char *why, size_t why_size)
{
    const char *const homes[] = {r->cuda, "", getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    static const char *const rooms[] = {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"};
    int h, v, d;
    for (h = 0; h < COUNT(homes); h++) {
        if (!homes[h]) continue;
        for (d = 0; d < (*homes[h] ? COUNT(rooms) : 1); d++) {
            for (v = 0;; v++) {
                char path[PATH_SIZE], version[16] = "";
                void *library;
                if (versions[v]) tune_print(version, sizeof version, ".%d", versions[v]);
                if (*homes[h] && strlen(homes[h]) < 900)
                    tune_print(path, sizeof path, "%s/%s/%s%s", homes[h], rooms[d], base, version);
                else tune_print(path, sizeof path, "%s%s", base, version);
                library = dlopen(path, RTLD_NOW);
                if (library) return library;
                if (!versions[v]) break;
            }
        }
        if (r->cuda && h == 0) break; /* as told, and nowhere else */
    }
    if (r->cuda) tune_print(why, why_size, "no %s in %.200s/lib64 or lib", base, r->cuda);
    else tune_print(why, why_size, "no %s in the loader's path or /usr/local/cuda", base);
    return NULL;
}

/* Functions of the driver have their version in the name. Where it is older than the headers: the plain one. */
void *library_find(void *library, const char *name)
{
    void *found = dlsym(library, name);
    const size_t n = strlen(name);
    char plain[128];
    if (!found && n > 3 && n < sizeof plain && !strcmp(name + n - 3, "_v2")) {
        memcpy(plain, name, n - 3);
        plain[n - 3] = 0;
        found = dlsym(library, plain);
    }
    return found;
}
