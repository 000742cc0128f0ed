/* hook.c - the epilogue hook that the candidates get, and what its arguments hold while they run. */
#include "tune.h"
#include <limits.h>
#include <unistd.h>

/* Hooks that tc brings, and their arguments as --epi-args would say it. */
static const struct {
    const char *name, *args;
} shipped[] = {{"tc_epi_relu", ""},
               {"tc_epi_gelu", ""},
               {"tc_epi_gelu_tanh", ""},
               {"tc_epi_silu", ""},
               {"tc_epi_bias_col", "p"},
               {"tc_epi_bias_row", "p"},
               {"tc_epi_scale_col", "p"},
               {"tc_epi_scale_row", "p"},
               {"tc_epi_residual_f32", "p,l=n"},
               {"tc_epi_residual_f16", "p,l=n"},
               {"tc_epi_residual_bf16", "p,l=n"},
               {"tc_epi2_bias_col", "p"},
               {"tc_epi2_bias_relu", "p"},
               {"tc_epi2_bias_gelu", "p"},
               {"tc_epi2_bias_gelu_tanh", "p"},
               {"tc_epi2_residual_f16", "p,l=n"},
               {"tc_epi2_residual_bf16", "p,l=n"}};

static const char *option_of(const hook *h) { return h->pair ? "--epi2" : "--epi"; }

static int is_name(const char *s)
{
    const char *p = s;
    for (; *p; p++)
        if (!(*p == '_' || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (p > s && *p >= '0' && *p <= '9')))
            return 0;
    return p > s;
}

void hook_given(hook *h, const char *given, int pair)
{
    const char *colon = strrchr(given, ':');
    char path[PATH_SIZE], whole[PATH_MAX];
    int i;
    if (h->given)
        tune_fail(2, "%s %s: one hook a kernel, and %s is given already", pair ? "--epi2" : "--epi", given, h->given);
    h->given = given;
    h->pair = pair;
    h->size = TC_NO_ARGS;
    h->words = 0;
    if (!colon) {
        for (i = 0; i < COUNT(shipped); i++) {
            if (strcmp(shipped[i].name, given) != 0) continue;
            if ((strncmp(given, "tc_epi2", 7) == 0) != pair)
                tune_fail(2, "%s %s: this is a hook on %s, so say %s %s", option_of(h), given,
                          pair ? "one element" : "pairs", pair ? "--epi" : "--epi2", given);
            tune_print(h->name, sizeof h->name, "%s", given);
            if (*shipped[i].args) hook_args(h, shipped[i].args);
            return;
        }
        tune_fail(2,
                  "%s %s: give it as FILE:NAME, as in %s my_epi.h:my_hook; without a file only hooks that tc brings, "
                  "as tc_epi_relu",
                  option_of(h), given, option_of(h));
    }
    tune_print(path, sizeof path, "%.*s", (int)(colon - given), given);
    if (!is_name(colon + 1)) tune_fail(2, "%s %s: \"%s\" is no name of a function", option_of(h), given, colon + 1);
    tune_print(h->name, sizeof h->name, "%s", colon + 1);
    if (access(path, R_OK) != 0 || !realpath(path, whole))
        tune_fail(2, "%s %s: there is no file %s", option_of(h), given, path);
    tune_print(h->file, sizeof h->file, "%s", whole);
}

void hook_size(hook *h, const char *bytes)
{
    char *end;
    const long n = strtol(bytes, &end, 10);
    if (*end || end == bytes || n < 1 || n > TC_EPI_MAX)
        tune_fail(2, "--epi-size %s: must be 1 to %d bytes, sizeof of the hook's arguments", bytes, TC_EPI_MAX);
    h->size = (int)n;
    h->words = 0;
}

/* p,f=0.5,i=3,l=n: a struct of these members, aligned as C does. */
void hook_args(hook *h, const char *words)
{
    const char *p = words;
    size_t size = 0, most = 1;
    h->words = 0;
    for (;;) {
        const size_t n = strcspn(p, ",");
        const size_t bytes = *p == 'p' || *p == 'l' ? 8 : 4;
        hook_word w = {*p, 0, 0, 0};
        char *end = (char *)(uintptr_t)(p + 1);
        if (n == 0 || !strchr("pfil", *p) || (n > 1 && p[1] != '='))
            tune_fail(
                2,
                "--epi-args %s: \"%.*s\" is none of p (address of zeros), f=X (float), i=X, l=X (whole number of 4, "
                "8 bytes)",
                words, (int)n, p);
        if (n == 3 && *p != 'p' && strchr("mnk", p[2])) w.size_of = p[2], end = (char *)(uintptr_t)(p + n);
        else if (n > 1 && *p != 'p') w.value = strtod(p + 2, &end);
        if (end != p + n)
            tune_fail(2, "--epi-args %s: in \"%.*s\" the value must be a number, or m, n or k", words, (int)n, p);
        size = (size + bytes - 1) / bytes * bytes;
        if (bytes > most) most = bytes;
        if (size + bytes > TC_EPI_MAX) tune_fail(2, "--epi-args %s: is above TC_EPI_MAX = %d bytes", words, TC_EPI_MAX);
        w.at = size;
        h->word[h->words++] = w;
        size += bytes;
        p += n;
        if (!*p++) break;
    }
    h->size = (int)((size + most - 1) / most * most);
}

void hook_check(const hook *h)
{
    if (!h->given && (h->size || h->words))
        tune_fail(2, "--epi-size and --epi-args belong to a hook: give --epi or --epi2");
}

void hook_fill(const hook *h, shape s, uint64_t zeros, unsigned char *out)
{
    int i;
    if (h->size > 0) memset(out, 0, (size_t)h->size);
    for (i = 0; i < h->words; i++) {
        const hook_word *w = &h->word[i];
        const double x = w->size_of == 'm' ? s.m : w->size_of == 'n' ? s.n : w->size_of == 'k' ? s.k : w->value;
        const float f = (float)x;
        const int32_t i4 = (int32_t)x;
        const int64_t i8 = (int64_t)x;
        if (w->kind == 'p') memcpy(out + w->at, &zeros, 8);
        if (w->kind == 'f') memcpy(out + w->at, &f, 4);
        if (w->kind == 'i') memcpy(out + w->at, &i4, 4);
        if (w->kind == 'l') memcpy(out + w->at, &i8, 8);
    }
}
