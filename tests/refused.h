/* refused.h - a call that must be refused; behind test.h and tc.h.
 *
 *     TEST_REFUSED(refused, kernel, tc_attn_args)
 *
 * makes refused(kn, g, want, text, text2, line): kernel kn (its members name, can_run, run) refuses g with the status,
 * both texts are in its sentence, and no CUDA error is left behind. */
#ifndef REFUSED_H
#define REFUSED_H

#define TEST_REFUSED(function, kernel, args)                                                                          \
    static void function(const kernel *kn, const args *g, tc_status want, const char *text, const char *text2,        \
                         int line)                                                                                    \
    {                                                                                                                 \
        const char *why = 0;                                                                                          \
        tc_status st;                                                                                                 \
        tc__why_text[0] = 0;                                                                                          \
        st = kn->can_run(g, &why);                                                                                    \
        CHECK(st == want, "line %d: %s_can_run: %s: %s, want %s", line, kn->name, tc_status_text(st), tc_why(),       \
              tc_status_text(want));                                                                                  \
        CHECK(why && strstr(why, text) && strstr(why, text2), "line %d: %s_can_run: wants \"%s\" and \"%s\" in: %s",  \
              line, kn->name, text, text2, why ? why : "(null)");                                                     \
        CHECK(kn->can_run(g, 0) == want, "line %d: %s_can_run without why", line, kn->name);                          \
        tc__why_text[0] = 0;                                                                                          \
        st = kn->run(g, 0);                                                                                           \
        CHECK(st == want, "line %d: %s_run: %s: %s, want %s", line, kn->name, tc_status_text(st), tc_why(),           \
              tc_status_text(want));                                                                                  \
        CHECK(strstr(tc_why(), text) && strstr(tc_why(), text2), "line %d: %s_run: wants \"%s\" and \"%s\" in: %s",   \
              line, kn->name, text, text2, tc_why());                                                                 \
        if (device)                                                                                                   \
            CHECK(cudaPeekAtLastError() == cudaSuccess, "line %d: %s leaves a CUDA error behind: %s", line, kn->name, \
                  cudaGetErrorString(cudaGetLastError()));                                                            \
    }

#endif
