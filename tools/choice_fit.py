#!/usr/bin/env python3
"""choice_fit.py - fits the constants of tc_gemm_choice.h, the model of time by which TC_GEMM_DEFINE picks on Hopper.

    build/bench/choice --count 200 --all all.csv          on a board: microseconds of every cut of random shapes
    build/bench/choice --finals few.csv --finalists 16 --beside 1 --seconds 0.04 --rounds 3      of the fastest, as the
                                                          suite takes them: short bursts do not make a board hot
    python3 tools/choice_fit.py all.csv [more.csv ...] [--hot bench/results/choice_hot.csv ...] [--long FILE ...]
                                [--older FILE ...] [--evals 9000] [--seed 1] [--hold REGEX] [--stay 0.0003]
                                [--right 0.15]
                                [--as e4m3 [--blocks b.csv]]

Prints, for shapes that were fitted and for a fifth that were kept out, how much longer than the best the model's pick
takes, before and after, then the #define lines and the kernels' own figures to put into the header. Needs numpy and
cma from the Python package index, and a C compiler. --as: what build/bench/choice --as measured: bf16, row_row; e4m3
or blocks, of which only the constants of promoted sums are fitted (bench/results/choice_e4m3.csv); with --as e4m3 files
of --as blocks may stand beside them, behind --blocks. What is minimised is the time of the picks over the best's, made
smooth (a cut counts by how near the model has it to its favourite), and a little how far the model's times of what is
near the best are from the measured ones. Rows of one shape are only compared with each other, so files of several
boards go together. --hot: files of --beside 1, which are what a call is like and count four times; their times are
cuBLASLt's, no clock's. --long: the same in bursts of 50 ms and more (bench/results/choice_long.csv), which a large
call's energy shows in: they stand for their shapes in --hot, and count twelve times. --older: those of the files that
are older than the end of a block's only tile (tc_gemm_sm90_once.h); cuts that it serves are taken as so much shorter as
it made 20 shapes. --right: what a time that is not right costs. --hold: constants that stay as they are, as
'CLOCK|PRODUCT|\\.2$' (that of kernel wide's pace is wide.2). --stay: what it costs to move one by a factor of e^0.5,
squared; more for few shapes. Rows that take more than 2.6 times the best are left out, so a cut that no file has is not
known to be bad: let --all and its like have many. A few hundred shapes and 9000 evaluations take half a minute. A file
that is named twice counts twice. The constants as they are (but for --as e4m3):

    choice_fit.py choice_finals.csv --hot choice_hot.csv choice_once.csv choice_once.csv choice_wave.csv --long
        choice_long.csv --older choice_finals.csv choice_hot.csv choice_wave.csv choice_long.csv --evals 30000
        --stay 0.0002 --seed 2
"""
import argparse, csv, ctypes, math, os, re, subprocess, tempfile
import numpy as np

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
HEADER = os.path.join(HERE, 'tc_gemm_choice.h')
# of other types, of other boards, or by definition
FIXED = ('TC__GEMM_F32', 'TC__GEMM_OTHERS', 'TC__GEMM_LESS', 'TC__GEMM_NEAR', 'TC__GEMM_PIECE',
         'TC__GEMM_PDL_', 'TC__GEMM_ZEROS')
PROMOTED = r'PROMOTE|8\.\d$'  # of e4m3
KINDS = ('bf16', 'row_row', 'e4m3', 'blocks')
NEAR, SHARP = 0.1, 0.012  # what is near the best; how near the model's favourite what counts as picked is

SHIM = r'''
extern double fit_p[128];
#include "tc.h"
double fit_p[128];
static TC_ALIGN(256) unsigned char memory[512];
/* rows of m, n, k, kernel, width, cluster, parts, meet and a number of KINDS: the model's nanoseconds */
void model(int count, const int *r, double *out)
{
    const tc__gemm_device d = tc__gemm_device_of(132, TC__H200_BANDWIDTH);
    for (int i = 0; i < count; i++, r += 9) {
        const int kind = r[8];
        tc_gemm_config given = {0};
        given.d = TC_BF16, given.a = given.b = kind < 2 ? TC_BF16 : TC_E4M3;
        if (kind == 1) given.b_layout = TC_ROW;
        if (kind == 3) given.a_scale = TC_SCALE_1X128, given.b_scale = TC_SCALE_128X128;
        const tc_gemm_config c = tc__gemm_tiled(given, tc__gemm_tiles_of[r[3] - 1]), v = tc_gemm90_view(c);
        tc_gemm_args g = {0};
        tc_gemm_cut cut = {0};
        g.m = r[0], g.n = r[1], g.k = r[2], g.lda = r[2], g.ldb = kind == 1 ? r[1] : r[2], g.ldd = r[1];
        g.a = g.b = g.d = memory;
        const tc__gemm_problem x = tc__gemm90_problem(&c, &g);
        cut.width = r[4], cut.parts = r[6], cut.joined = r[7] == TC_MEET_CLUSTER;
        cut.cluster = v.step && r[5] ? r[5] : v.cluster_m;
        out[i] = tc__gemm90_time(&v, &x, &cut, &d);
    }
}
/* of the same rows: do blocks have one tile, whose end is tc_gemm_sm90_once.h's? */
void once(int count, const int *r, int *out)
{
    for (int i = 0; i < count; i++, r += 9) {
        tc_gemm_config given = {0};
        given.d = TC_BF16, given.a = given.b = TC_BF16;
        const tc_gemm_config c = tc__gemm_tiled(given, tc__gemm_tiles_of[r[3] - 1]), v = tc_gemm90_view(c);
        const int64_t rows = v.swap ? r[1] : r[0], cols = v.swap ? r[0] : r[1];
        out[i] = tc__gemm90_once(v) && r[6] == 1 && tc__div_up(rows, v.bm) * tc__div_up(cols, r[4]) <= 132;
    }
}
int kernels(void) { return TC__GEMM_TILE_COUNT; }
'''


def variable_header():
    """The header with every constant a variable; their names and values."""
    text, names, values = open(HEADER).read(), [], []

    def define(m):
        if m.group(1).startswith(FIXED): return m.group(0)
        names.append(m.group(1)), values.append(float(m.group(2)))
        return '#define %s fit_p[%d]' % (m.group(1), len(names) - 1)

    text = re.sub(r'#define (TC__GEMM_\w+) +([0-9.e+-]+)\b', define, text)
    own = re.search(r'    static const tc__gemm_own .*?;\n', text, re.S)
    lines = ''
    for kernel, figures in re.findall(r'(\w+) = \{([^}]*)\}', own.group(0)):
        lines += '    const tc__gemm_own %s = {%s};\n' % (
            kernel, ', '.join('fit_p[%d]' % (len(names) + i) for i in range(5)))
        for i, x in enumerate(figures.split(',')): names.append('%s.%d' % (kernel, i)), values.append(float(x))
    return text.replace(own.group(0), lines), names, np.array(values)


def library(text):
    """The model as a shared library, its constants fit_p."""
    with tempfile.TemporaryDirectory() as folder:
        for name in os.listdir(HERE): # beside each other: a quoted name is looked for where the file that asks lies
            if re.match(r'tc\w*\.h$', name):
                open(os.path.join(folder, name), 'w').write(open(os.path.join(HERE, name)).read())
        open(os.path.join(folder, 'tc_gemm_choice.h'), 'w').write(text)
        open(os.path.join(folder, 'shim.c'), 'w').write(SHIM)
        cuda = os.environ.get('CUDA_HOME', '/usr/local/cuda')
        subprocess.check_call(['cc', '-std=gnu11', '-O2', '-shared', '-fPIC', '-I' + folder, '-I' + cuda + '/include',
                               '-o', folder + '/shim.so', folder + '/shim.c'])
        return ctypes.CDLL(folder + '/shim.so')


def read_file(file, kernels):
    """Of each shape, the microseconds of its cuts."""
    groups = {}
    for r in csv.reader(open(file)):
        if len(r) < 9 or not r[0].isdigit() or not r[8]: continue  # words; a run that was ended
        cut = tuple(int(x) for x in r[3:8])
        if cut[0] <= kernels: groups.setdefault(tuple(int(x) for x in r[:3]), {})[cut] = float(r[8])
    return groups


def outlast(groups, long):
    """Of a shape in both, the longer bursts' rows; its other cuts, scaled, are slower than their best."""
    for shape, cuts in long.items():
        both = [us / groups[shape][cut] for cut, us in cuts.items() if cut in groups.get(shape, {})]
        scale, least = np.median(both) if both else math.inf, 1.01 * min(cuts.values())
        groups[shape] = {cut: max(us * scale, least) for cut, us in groups.get(shape, {}).items()} | cuts
    return groups


# What a block's only tile has been shorter by since it has an end of its own, in nanoseconds: of each kernel by its
# number, more for each column of a tile on its side, and where 16 columns stood behind boxes of 32.
LESS, LESS_ASIDE, LESS_TAIL = {1: 400, 2: 270, 3: 300, 4: 300, 5: 370, 7: 400, 8: 250}, 3.5, 420


def shorten(rows, late, times, once):
    """late of rows of older files as it would be now. times: the model's, once: are they of such cuts?"""
    for i, r in enumerate(rows):
        if not once[i] or r[3] not in LESS: continue
        less = LESS[r[3]] + (LESS_ASIDE * r[4] if r[3] == 4 else LESS_TAIL if r[3] in (1, 7) and r[4] % 32 == 16 else 0)
        late[i] += math.log(1 - min(less / times[i], 0.5))


def read(files, hot, long, kernels, kinds):
    """Rows, log of their times over the shape's best, where shapes begin, the shapes, their best times (hot: NaN), the
    rows' files. kinds: of a file, a number of KINDS."""
    rows, late, begin, shapes, least, of = [], [], [], [], [], []
    for file in files + hot + 2 * long:
        groups = read_file(file, kernels)
        if file in hot:
            for other in long: groups = outlast(groups, read_file(other, kernels))
        for shape, cuts in groups.items():
            best = min(cuts.values())
            if len(cuts) < 2: continue
            begin.append(len(rows)), shapes.append(shape), least.append(best if file in files else math.nan)
            for cut, us in cuts.items():
                if us < 2.6 * best:
                    rows.append(shape + cut + (kinds[file],)), late.append(math.log(us / best)), of.append(file)
    rows = np.ascontiguousarray(np.array(rows, np.int32))
    return rows, np.array(late), np.array(begin), shapes, np.array(least), of


def main():
    parser = argparse.ArgumentParser(description='see the head of this file')
    parser.add_argument('files', nargs='+')
    parser.add_argument('--hot', nargs='+', default=[])
    parser.add_argument('--long', nargs='+', default=[])
    parser.add_argument('--older', nargs='+', default=[])
    parser.add_argument('--evals', type=int, default=9000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--hold', default='$^')
    parser.add_argument('--stay', type=float, default=0.0003)
    parser.add_argument('--right', type=float, default=0.15)
    parser.add_argument('--blocks', nargs='+', default=[])
    parser.add_argument('--as', dest='kind', choices=KINDS, default='bf16')
    o = parser.parse_args()
    if o.blocks and o.kind != 'e4m3': parser.error('--blocks goes with --as e4m3')
    kinds = {f: KINDS.index(o.kind) for f in o.files + o.hot + o.long} | {f: KINDS.index('blocks') for f in o.blocks}
    import cma

    text, names, start = variable_header()
    shared = library(text)
    rows, late, begin, shapes, least, of = read(o.files + o.blocks, o.hot, o.long, shared.kernels(), kinds)
    shape_of = np.repeat(np.arange(len(begin)), np.diff(np.append(begin, len(rows))))
    constants, times = (ctypes.c_double * 128).in_dll(shared, 'fit_p'), np.zeros(len(rows))

    def model(p):
        for i, v in enumerate(p): constants[i] = v
        shared.model(len(rows), rows.ctypes.data_as(ctypes.c_void_p),
                     times.ctypes.data_as(ctypes.c_void_p))
        return np.log(times)

    if o.older:
        once = np.zeros(len(rows), np.int32)
        shared.once(len(rows), *(x.ctypes.data_as(ctypes.c_void_p) for x in (rows, once)))
        shorten(rows, late, np.exp(model(start)), (once != 0) & np.array([file in o.older for file in of]))
        first = np.minimum.reduceat(late, begin)
        late, least = late - first[shape_of], least * np.exp(first)
    cold = ~np.isnan(least)
    weight = np.where(cold, 1., 4.)
    measured = np.where(cold, np.log(1e3 * least), 0.)[shape_of] + late
    kept_out = np.array([(7 * m + 13 * n + 29 * k) % 5 == 0 for m, n, k in shapes])
    promotes = o.kind in ('e4m3', 'blocks')
    held = np.array([re.search(o.hold, n) is not None or (re.search(PROMOTED, n) is not None) != promotes
                     for n in names])
    memory = np.array([n.endswith('.3') for n in names])  # times the memory's; the least: none reads faster

    def values(x):
        p = start * np.exp(np.clip(x, -3, 3) * 0.5)
        p[memory] = np.clip(p[memory], 0.937, 1.4)
        p[held] = start[held]
        return p

    def loss(x):
        m = model(values(x))
        counts = np.exp(-(m - np.minimum.reduceat(m, begin)[shape_of]) / SHARP)
        picked = np.add.reduceat(counts * late, begin) / np.add.reduceat(counts, begin)
        near = np.exp(-late / NEAR)
        off = np.minimum(np.abs(m - measured), 0.35) * near
        off = np.add.reduceat(off, begin) / np.add.reduceat(near, begin)
        fit, right = ~kept_out, ~kept_out & cold
        wrong = off[right].mean() if right.any() else 0.
        return np.average(picked[fit], weights=weight[fit]) + o.right * wrong + o.stay * np.mean(x * x)

    def say(when, p):
        m = model(p)
        end = np.append(begin[1:], len(rows))
        lost = np.array([late[a + np.argmin(m[a:b])] for a, b in zip(begin, end)])
        for what, which in (('fitted', ~kept_out), ('kept out', kept_out)):
            x = lost[which]
            print('%s, %d shapes %s: %.1f %% longer than the best, 3 %% and more on %.0f %%, at worst %.0f %%'
                  % (when, len(x), what, 100 * x.mean(), 100 * (x > .03).mean(), 100 * x.max()))

    say('before', start)
    search = cma.CMAEvolutionStrategy(np.zeros(len(start)), 0.15, {'maxfevals': o.evals, 'verbose': -9,
                                                                   'seed': o.seed, 'popsize': 16})
    while not search.stop():
        tries = search.ask()
        search.tell(tries, [loss(x) for x in tries])
    best = values(search.result.xbest)
    say('after', best)
    for n, v in zip(names, best):
        if '.' not in n: print('#define %s %.4g' % (n, v))
    for i, n in enumerate(names):
        if n.endswith('.0'): print('%s = {%.0f, %.0f, %.4g, %.4g, %.4g}' % ((n[:-2],) + tuple(best[i:i + 5])))


if __name__ == '__main__':
    main()
