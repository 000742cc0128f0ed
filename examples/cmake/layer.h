/* layer.h - what main.c knows of layer.cu: a function in C. */
#ifndef LAYER_H
#define LAYER_H
#ifdef __cplusplus
extern "C" {
#endif

/* Y = scale * X W' in bf16. X: rows x in, W: out x in, Y: rows x out, each row by row and on the device. */
typedef struct layer_problem {
    int rows, in, out;
    float scale;
    const void *x, *w;
    void *y;
} layer_problem;

/* Starts it on the default stream. Returns NULL, or the sentence that says what is wrong with the problem. */
const char *layer_forward(const layer_problem *p);

#ifdef __cplusplus
}
#endif
#endif
