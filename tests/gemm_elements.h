/* gemm_elements.h - an element of a matrix of any type, f64 too: written rounded to its type, read as a double. */
#ifndef GEMM_ELEMENTS_H
#define GEMM_ELEMENTS_H

static void put(int type, void *p, size_t i, double x)
{
    if (type == TC_F64) ((double *)p)[i] = x;
    else tc_element_set(p, type, i, (float)x);
}

static double get(int type, const void *p, size_t i)
{
    return type == TC_F64 ? ((const double *)p)[i] : tc_element_get(p, type, i);
}

#endif
