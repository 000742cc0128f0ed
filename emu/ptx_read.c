/* ptx_read.c - PTX text, character by character: blanks and comments, names, the words of directives, strings; numbers
 * and constant expressions. It knows no declaration and no instruction. */
#include "ptx_read.h"
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NESTING   128               /* of a constant expression */

_Noreturn void ptx_fail(parser *s, const char *format, ...)
{
    char message[512];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    if (s->err_size) snprintf(s->err, s->err_size, "line %u: %s", s->line, message);
    longjmp(s->leave, 1);
}

/* ------------------------------------------------------------------------------------------------ tokens */

/* The next character that is neither blank nor comment, 0 at the end. The text is followed by a 0. */
int ptx_peek(parser *s)
{
    const char *p = s->p;
    for (;;) {
        if (*p == '\n') {
            s->line++;
            p++;
        } else if (*p == ' ' || (*p >= '\t' && *p <= '\r')) {
            p++;
        } else if (*p == '/' && p[1] == '/') {
            p = memchr(p, '\n', (size_t)(s->end - p));
            if (!p) p = s->end;
        } else if (*p == '/' && p[1] == '*') {
            for (p += 2; p < s->end && !(*p == '*' && p[1] == '/'); p++) s->line += *p == '\n';
            p = p < s->end ? p + 2 : s->end;
        } else if (!*p && p < s->end) {
            p++;
        } else {
            break;
        }
    }
    s->p = p;
    return (unsigned char)*p;
}

_Noreturn void ptx_fail_expected(parser *s, const char *what)
{
    int c = ptx_peek(s), len = 0;
    while (len < 30 && s->p + len < s->end && s->p[len] >= ' ' && s->p[len] < 127 && s->p[len] != ';') len++;
    if (s->p >= s->end) ptx_fail(s, "expected %s, found the end of the text", what);
    if (len == 0) len = c >= ' ' && c < 127;
    ptx_fail(s, "expected %s, found '%.*s'", what, len, s->p);
}

void ptx_expect(parser *s, int c)
{
    if (accept(s, c)) return;
    char what[4] = {'\'', (char)c, '\'', 0};
    ptx_fail_expected(s, what);
}

/* Name characters from s->p on, whatever the first is. */
name ptx_scan_name(parser *s)
{
    const char *p = s->p;
    uint32_t h = 2166136261u, stem_hash = h;
    const char *stem = p;
    int digits = 0;
    for (int first = 1; is_name_char(*p) || (first && *p == '%'); p++, first = 0) {
        if (!is_digit(*p)) digits = 0;
        else if (!digits) digits = 1, stem = p, stem_hash = h;
        h = (h ^ (unsigned char)*p) * 16777619u;
    }
    name n = {s->p, (uint32_t)(p - s->p), h, (uint32_t)((digits ? stem : p) - s->p), stem_hash};
    s->p = p;
    return n;
}

name ptx_read_name(parser *s)
{
    if (!is_name_start(ptx_peek(s))) ptx_fail_expected(s, "a name");
    return ptx_scan_name(s);
}

/* The word of a directive, after its '.' */
name ptx_read_word(parser *s)
{
    ptx_expect(s, '.');
    if (!is_name_char(*s->p)) ptx_fail_expected(s, "a word after '.'");
    return ptx_scan_name(s);
}

name ptx_read_quoted(parser *s)
{
    if (ptx_peek(s) != '"') ptx_fail_expected(s, "a string");
    const char *from = ++s->p;
    while (s->p < s->end && *s->p != '"' && *s->p != '\n') s->p += *s->p == '\\' && s->p[1] && s->p[1] != '\n' ? 2 : 1;
    if (s->p >= s->end || *s->p != '"') ptx_fail(s, "a string without end");
    name n = {from, (uint32_t)(s->p - from), 0, 0, 0};
    s->p++;
    return n;
}

/* Past the next c at this level of parentheses. */
void ptx_skip_to(parser *s, int c)
{
    for (int level = 0;;) {
        int d = ptx_peek(s);
        if (!d) ptx_fail(s, "expected '%c', found the end of the text", c);
        if (d == '"') {
            ptx_read_quoted(s);
            continue;
        }
        s->p++;
        if (level == 0 && d == c) return;
        level += d == '(' ? 1 : d == ')' && level ? -1 : 0;
    }
}

/* ------------------------------------------------------------------------------------------------ constants */

static value of_int(int64_t i, int is_unsigned) { return (value){PT_S64, (uint8_t)is_unsigned, i}; }

static int digit_of(int c)
{
    return is_digit(c) ? c - '0' : (unsigned)((c | 32) - 'a') < 26 ? (c | 32) - 'a' + 10 : 99;
}

static value read_float(parser *s)
{
    char copy[128];
    size_t n = 0;
    const char *p = s->p;
    for (; is_digit(*p) || *p == '.' || (*p | 32) == 'e' || ((*p == '+' || *p == '-') && (p[-1] | 32) == 'e'); p++) {
        if (n + 1 >= sizeof copy) ptx_fail(s, "a number of too many digits");
        copy[n++] = *p == '.' ? *localeconv()->decimal_point : *p;
    }
    copy[n] = 0;
    char *end;
    double d = strtod(copy, &end);
    if (*end) ptx_fail(s, "'%s' is not a number", copy);
    s->p = p;
    return of_double(d);
}

static value read_number(parser *s)
{
    const char *p = s->p;
    int kind = p[0] == '0' ? p[1] | 32 : 0, base = 10;
    if (kind == 'f' || kind == 'd') {
        int want = kind == 'f' ? 8 : 16, n = 0;
        uint64_t bits = 0;
        for (p += 2; digit_of(*p) < 16; p++, n++) bits = bits << 4 | (unsigned)digit_of(*p);
        if (n != want || is_name_char(*p)) ptx_fail(s, "a 0%c number has %d hexadecimal digits", kind, want);
        s->p = p;
        return (value){kind == 'f' ? PT_F32 : PT_F64, 0, (int64_t)bits};
    }
    while (is_digit(*p)) p++;
    if (*p == '.' || (kind != 'x' && (*p | 32) == 'e')) return read_float(s);
    p = s->p;
    if (kind == 'x') base = 16, p += 2;
    else if (kind == 'b') base = 2, p += 2;
    else if (is_digit(kind)) base = 8, p += 1;
    uint64_t n = 0;
    const char *first = p;
    for (; digit_of(*p) < base; p++)
        if (__builtin_mul_overflow(n, (uint64_t)base, &n) || __builtin_add_overflow(n, (uint64_t)digit_of(*p), &n))
            ptx_fail(s, "a number over 64 bits");
    int is_unsigned = n > INT64_MAX, digits = p > first;
    if (*p == 'U' || *p == 'u') is_unsigned = 1, p++;
    if (!digits || is_name_char(*p)) {
        int len = 0;
        while (is_name_char(s->p[len]) && len < 40) len++;
        ptx_fail(s, "'%.*s' is not a number", len, s->p);
    }
    s->p = p;
    return of_int((int64_t)n, is_unsigned);
}

static value unary(parser *s)
{
    value v;
    if (++s->nesting > MAX_NESTING) ptx_fail(s, "an expression nested too deep");
    int c = ptx_peek(s);
    if (is_digit(c) || (c == '.' && is_digit(s->p[1]))) {
        v = read_number(s);
    } else if (c == '(') {
        s->p++;
        if (ptx_peek(s) == '.') {
            name n = ptx_read_word(s);
            if (!is(&n, "s64") && !is(&n, "u64")) ptx_fail(s, "a constant is cast to .s64 or .u64 alone");
            ptx_expect(s, ')');
            v = unary(s);
            if (v.type != PT_S64) ptx_fail(s, "the operator takes integers");
            v.is_unsigned = n.at[0] == 'u';
        } else {
            v = ptx_expression(s, 0);
            ptx_expect(s, ')');
        }
    } else if (c == '-' || c == '+' || c == '~' || c == '!') {
        s->p++;
        v = unary(s);
        if (c == '-') {
            if (v.type == PT_S64) v.i = (int64_t)(0 - (uint64_t)v.i);
            else v.i = (int64_t)((uint64_t)v.i ^ (v.type == PT_F32 ? 1ull << 31 : 1ull << 63));
        } else if (c != '+') {
            if (v.type != PT_S64) ptx_fail(s, "the operator takes integers");
            v = c == '~' ? of_int(~v.i, v.is_unsigned) : of_int(!v.i, 0);
        }
    } else {
        const char *from = s->p;
        name n = is_name_start(c) ? ptx_scan_name(s) : (name){0};
        if (!n.len) ptx_fail_expected(s, "an operand");
        if (!is(&n, "WARP_SZ")) {
            s->p = from;
            ptx_fail(s, "unknown name '%.*s'", NAME(&n));
        }
        v = of_int(32, 0);
    }
    s->nesting--;
    return v;
}

enum { OP_OR = 256, OP_AND, OP_EQ, OP_NE, OP_LE, OP_GE, OP_SHL, OP_SHR };

/* The binary operator at s->p, its rank and length; 0 if there is none. */
static int operator_at(parser *s, int *rank, int *len)
{
    int c = ptx_peek(s), d = c ? s->p[1] : 0;
    *len = 2;
    if (c == '|' && d == '|') return *rank = 1, OP_OR;
    if (c == '&' && d == '&') return *rank = 2, OP_AND;
    if (c == '=' && d == '=') return *rank = 6, OP_EQ;
    if (c == '!' && d == '=') return *rank = 6, OP_NE;
    if (c == '<' && d == '=') return *rank = 7, OP_LE;
    if (c == '>' && d == '=') return *rank = 7, OP_GE;
    if (c == '<' && d == '<') return *rank = 8, OP_SHL;
    if (c == '>' && d == '>') return *rank = 8, OP_SHR;
    *len = 1;
    switch (c) {
    case '|': return *rank = 3, c;
    case '^': return *rank = 4, c;
    case '&': return *rank = 5, c;
    case '<': case '>': return *rank = 7, c;
    case '+': case '-': return *rank = 9, c;
    case '*': case '/': case '%': return *rank = 10, c;
    default: return 0;
    }
}

static value apply(parser *s, int op, value a, value b)
{
    if (a.type != PT_S64 || b.type != PT_S64) {
        double x = to_double(a), y = to_double(b);
        switch (op) {
        case '+': return of_double(x + y);
        case '-': return of_double(x - y);
        case '*': return of_double(x * y);
        case '/':
            if (y == 0) ptx_fail(s, "division by zero");
            return of_double(x / y);
        case '<': return of_int(x < y, 0);
        case '>': return of_int(x > y, 0);
        case OP_LE: return of_int(x <= y, 0);
        case OP_GE: return of_int(x >= y, 0);
        case OP_EQ: return of_int(x == y, 0);
        case OP_NE: return of_int(x != y, 0);
        default: ptx_fail(s, "the operator takes integers");
        }
    }
    int u = a.is_unsigned || b.is_unsigned;
    uint64_t x = (uint64_t)a.i, y = (uint64_t)b.i;
    switch (op) {
    case '+': return of_int((int64_t)(x + y), u);
    case '-': return of_int((int64_t)(x - y), u);
    case '*': return of_int((int64_t)(x * y), u);
    case '/': case '%':
        if (!y) ptx_fail(s, "division by zero");
        if (u) return of_int((int64_t)(op == '/' ? x / y : x % y), 1);
        if (b.i == -1) return of_int(op == '/' ? (int64_t)(0 - x) : 0, 0);      /* also of the least integer */
        return of_int(op == '/' ? a.i / b.i : a.i % b.i, 0);
    case '&': return of_int((int64_t)(x & y), u);
    case '|': return of_int((int64_t)(x | y), u);
    case '^': return of_int((int64_t)(x ^ y), u);
    case OP_SHL: return of_int(y < 64 ? (int64_t)(x << y) : 0, a.is_unsigned);
    case OP_SHR:
        if (a.is_unsigned) return of_int(y < 64 ? (int64_t)(x >> y) : 0, 1);
        return of_int(a.i >> (y < 64 ? y : 63), 0);
    case '<': return of_int(u ? x < y : a.i < b.i, 0);
    case '>': return of_int(u ? x > y : a.i > b.i, 0);
    case OP_LE: return of_int(u ? x <= y : a.i <= b.i, 0);
    case OP_GE: return of_int(u ? x >= y : a.i >= b.i, 0);
    case OP_EQ: return of_int(x == y, 0);
    case OP_NE: return of_int(x != y, 0);
    case OP_AND: return of_int(x && y, 0);
    default: return of_int(x || y, 0);
    }
}

/* A constant expression of operators that bind at least so tightly; 0: any, and ?: */
value ptx_expression(parser *s, int least)
{
    if (++s->nesting > MAX_NESTING) ptx_fail(s, "an expression nested too deep");
    value v = unary(s);
    int rank, len, op;
    while ((op = operator_at(s, &rank, &len)) && rank >= least) {
        s->p += len;
        v = apply(s, op, v, ptx_expression(s, rank + 1));
    }
    if (least == 0 && accept(s, '?')) {
        int yes = v.type == PT_S64 ? v.i != 0 : to_double(v) != 0;
        value a = ptx_expression(s, 0);
        ptx_expect(s, ':');
        value b = ptx_expression(s, 0);
        v = yes ? a : b;
    }
    s->nesting--;
    return v;
}

/* An integer within 0..most, as a count or a size is. */
uint64_t ptx_read_count(parser *s, uint64_t most, const char *what)
{
    value v = ptx_expression(s, 8);     /* no comparisons: '>' may close a list */
    if (v.type != PT_S64 || (!v.is_unsigned && v.i < 0)) ptx_fail(s, "%s is no number of things", what);
    if ((uint64_t)v.i > most)
        ptx_fail(s, "%s is %llu; at most %llu is possible", what, (unsigned long long)v.i, (unsigned long long)most);
    return (uint64_t)v.i;
}

/* + a - b ... after a base; 0 if there is none */
int64_t ptx_read_offset(parser *s)
{
    uint64_t sum = 0;
    for (int c; (c = ptx_peek(s)) == '+' || c == '-';) {
        s->p++;
        value v = ptx_expression(s, 10);
        if (v.type != PT_S64) ptx_fail(s, "an offset is an integer");
        sum = c == '+' ? sum + (uint64_t)v.i : sum - (uint64_t)v.i;
    }
    return (int64_t)sum;
}
