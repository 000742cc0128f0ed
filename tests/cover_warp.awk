# cover_warp.awk - writes a program that calls the kit for every variant of mma, mma.sp, ldmatrix, stmatrix, movmatrix,
# cp.async and wmma that tests/isa/variants.tsv lists for a target, or compares the PTX of that program with the table.
#     awk -v arch=90a -v mode=cu -f tests/cover_warp.awk tests/isa/variants.tsv > cover.cu
#     nvcc -std=c++17 -gencode arch=compute_90a,code=compute_90a -ptx cover.cu
#     awk -v arch=90a -v mode=check -v ptx=cover.ptx -f tests/cover_warp.awk tests/isa/variants.tsv
# Each call stands behind a comment with its number. The check wants, behind that comment, the mnemonic of the table
# with its operands:
# as many registers in each list, the literals where the table has literals. (tests/cover_warp.sh does it for all
# targets.)

function belongs(list, arch,    n) {
    if (list !~ /107/) sub(/^107/, "103", arch) # of the rows up to PTX 9.0 sm_107 has what sm_103 has
    if (list ~ /\+$/) { n = list; gsub(/[^0-9]/, "", n); return arch + 0 >= n + 0 }
    return index("," list ",", "," arch ",") > 0
}

# Is the row for this run? toolkit: the PTX of nvcc, 90 for 9.0 (unset: any); fresh: only rows newer than that PTX
function due(since) { return (toolkit == "" || since * 10 <= toolkit + 0) && (fresh == "" || since * 10 > fresh + 0) }
# Each variant; of rows with a ninth column, where sample says so, every sample-th
function take(mn, ops, note) {
    total++
    if (late == "" || sample < 2 || ++late_ones % sample == 1) one(mn, ops, note)
}

# One alternative after the other of each {...} of a mnemonic, and of each value of the sweep
function expand(mn, ops, sweep,    i, j, k, n, part, parts, name, s) {
    i = index(mn, "{")
    if (i) {
        j = index(mn, "}")
        n = split(substr(mn, i + 1, j - i - 1), parts, ",")
        for (k = 1; k <= n; k++) expand(substr(mn, 1, i - 1) parts[k] substr(mn, j + 1), ops, sweep)
        return
    }
    if (sweep != "-" && sweep != "") {
        split(sweep, part, " ")
        name = substr(part[1], 1, index(part[1], "=") - 1)
        n = split(substr(part[1], length(name) + 2), parts, ",")
        sub(/^[^ ]* ?/, "", sweep)
        for (k = 1; k <= n; k++) {
            s = ops
            while ((i = match(s, "\\$" name "[^A-Z]")) || (i = match(s, "\\$" name "$")))
                s = substr(s, 1, i - 1) parts[k] substr(s, i + 1 + length(name))
            expand(mn, s, sweep)
        }
        return
    }
    take(mn, ops)
}

# The operands as they must stand in PTX, each register an R
function wanted(mn, ops,    p, n, i, out, piece, k, list) {
    gsub(/\{/, "<", ops)
    if (ops == "-") return mn ";"
    n = split(ops, p, ", ")
    out = ""
    for (i = 1; i <= n; i++) {
        piece = p[i]
        if (piece ~ /^(out|in)</) {
            k = piece; sub(/^[a-z]*</, "", k); k += 0
            list = "R"
            while (--k > 0) list = list ",R"
            piece = "{" list "}"
        } else if (piece ~ /^(out|in) /) piece = "R"
        else if (piece ~ /^\[/) piece = "[R]"
        else { sub(/^imm /, "", piece); gsub(/</, "{", piece) }
        out = out (i > 1 ? "," : "") piece
    }
    return mn out ";"
}

function reg(type, d) { return (type == "f32" ? "f" : type == "s32" ? "s" : type == "f64" ? "x" : "u") d }
function word(x) { gsub(/@/, "_", x); return x }

function call_mma(t, n, ops,    i, sp, ord, shape, al, bl, extra, kind, vec, bs, type, nt, tail, args, sel, ids) {
    i = 2
    if (t[2] == "sp") sp = 1
    if (t[2] == "sp@ordered_metadata") sp = ord = 1
    i += sp + 2
    shape = t[i++]; al = t[i++]; bl = t[i++]
    if (t[i] ~ /^(satfinite|rn|rz|rm|rp)$/) extra = t[i++]
    if (t[i] ~ /^kind@/) { kind = t[i++]; sub(/^kind@/, "", kind) }
    if (t[i] == "block_scale") { bs = 1; i++; vec = "scale_vec_default"; if (t[i] ~ /^scale_vec@/) vec = word(t[i++]) }
    for (nt = 0; nt < 4 + bs; nt++) type[nt] = t[i++]
    if (i <= n) tail = t[i] "_" t[i + 1]
    args = reg(type[0], "d") ", " (type[1] == "f64" ? "x, x" : "u, u") ", " reg(type[3], "")
    shape = shape ", " al ", " bl ", "
    type[0] = type[0] ", " type[1] ", " type[2] ", " type[3] ", "
    sel = ""
    if (sp) { sel = ops; sub(/^.*in b32, imm /, "", sel); if (bs) sel = "0"; sel = ", u[7], " sel }
    if (bs) {
        ids = "u[5], h[0], h[1], u[6], h[2], h[3]"
        if (ops ~ /imm \{/) {
            ids = ops; sub(/^[^$]*in b32, imm \{/, "", ids)
            match(ops, /imm \{[0-9],[0-9]\}/); tail = substr(ops, RSTART + 5, 3)
            ids = substr(ops, RSTART + RLENGTH); match(ids, /imm \{[0-9],[0-9]\}/); ids = substr(ids, RSTART + 5, 3)
            ids = "u[5], " tail ", u[6], " ids
            return "TC_MMA" (sp ? "_SP" : "") "_BLOCK_SCALE_IMM(" shape kind ", " vec ", " type[0] type[4] ", " \
                args sel ", " ids ")"
        }
        return "TC_MMA" (sp ? "_SP" : "") "_BLOCK_SCALE(" shape kind ", " vec ", " type[0] type[4] ", " args sel ", " \
            ids ")"
    }
    if (kind != "") return "TC_MMA" (sp ? "_SP" : "") "_KIND(" shape kind ", " type[0] args sel ")"
    if (sp) return "TC_MMA_SP" (ord ? "_ORDERED" : "") (extra ? "_SATFINITE" : "") "(" shape type[0] args sel ")"
    if (tail) return "TC_MMA_POPC(" shape type[0] tail ", " args ")"
    if (extra == "satfinite") return "TC_MMA_SATFINITE(" shape type[0] args ")"
    if (extra) return "TC_MMA_ROUND(" shape extra ", " type[0] args ")"
    if (ops ~ /imm \{0f/) { sub(/, [^,]*$/, "", args); return "TC_MMA_ZERO(" shape type[0] args ")" }
    return "TC_MMA(" shape type[0] args ")"
}

function call_matrix(t, n,    i, trans, space, type, addr) {
    if (t[1] == "movmatrix") return "ud[0] = tc_movmatrix_trans(u[0])"
    i = 6
    if (t[i] == "trans") { trans = 1; i++ }
    space = "generic"
    if (t[i] ~ /^shared/) space = word(t[i++])
    type = t[i] (i < n ? "_" t[i + 1] : "")
    addr = space == "generic" ? "p" : "u[4]"
    return "TC_" (t[1] == "ldmatrix" ? "LD" : "ST") "MATRIX" (trans ? "_TRANS" : "") "(" t[4] ", " t[5] ", " space \
        ", " type ", " \
           (t[1] == "ldmatrix" ? "ud, " addr : addr ", u") ")"
}

function call_cp_async(t, n, mn, ops,    i, pre, tail, size, hint, form, space) {
    if (t[3] == "commit_group") return "tc_cp_async_commit_group()"
    if (t[3] == "wait_all") return "tc_cp_async_wait_all()"
    if (t[3] == "wait_group") { sub(/imm /, "", ops); return "TC_CP_ASYNC_WAIT_GROUP(" ops ")" }
    if (t[3] == "mbarrier") {
        space = mn ~ /shared@cta/ ? "shared_cta" : mn ~ /shared/ ? "shared" : "generic"
        return "TC_CP_ASYNC_MBARRIER_ARRIVE" (mn ~ /noinc/ ? "_NOINC" : "") "(" space ", " \
            (space == "generic" ? "p" : "u[4]") ")"
    }
    pre = "L2_none"
    for (i = 6; i <= n; i++) if (t[i] ~ /^L2@[0-9]/) pre = word(t[i]); else if (t[i] == "L2@cache_hint") hint = 1
    size = ops; sub(/^.*\[b64\], imm /, "", size); sub(/,.*/, "", size)
    tail = ops; sub(/^\[b32\], \[b64\], imm [0-9]*/, "", tail); if (hint) sub(/, in b64$/, "", tail)
    if (tail == "") form = "("
    else if (tail ~ /pred/) form = "_IGNORE_SRC"
    else if (tail ~ /imm/) form = "_SRC_SIZE_IMM"
    else form = "_SRC_SIZE"
    if (form == "(") form = ""
    return "TC_CP_ASYNC" form (hint ? "_CACHE_HINT" : "") "(" t[3] ", " word(t[4]) ", " pre ", u[4], p, " size \
           (tail == "" ? "" : tail ~ /imm/ ? ", 0" : ", s[0]") (hint ? ", l" : "") ")"
}

function call_wmma(t, n, ops,    i, m, al, bl, shape, space, type, r, sat, f, da, packed, pop) {
    if (t[2] == "mma") {
        i = 3
        if (t[3] ~ /^(xor|and)$/) { pop = t[3] "_popc"; i = 5 }
        i += 2
        al = t[i++]; bl = t[i++]; shape = t[i++]
        if (t[i] ~ /^r[nzmp]$/) r = t[i++]
        if (t[n] == "satfinite") { sat = 1; n-- }
        if (n - i == 1) { type[0] = t[i]; type[1] = type[2] = "f16"; type[3] = t[i + 1] }
        else for (m = 0; m < 4; m++) type[m] = t[i + m]
        f = "{ tc_wmma_a_" shape "_" type[1] " wa; tc_wmma_b_" shape "_" type[2] " wb; tc_wmma_c_" shape "_" type[3] \
            " wc; tc_wmma_c_" shape "_" type[0] " wd; "
        f = f "TC_WMMA_MMA" (sat ? "_SATFINITE" : r ? "_ROUND" : pop ? "_POPC" : "") "(" (pop ? pop ", " : "") al ", " \
            bl ", " shape ", " (r ? r ", " : "")
        return f type[0] ", " type[1] ", " type[2] ", " type[3] ", wd, wa, wb, wc); }"
    }
    m = t[3]; al = t[6]; shape = t[7]; i = 8; space = "generic"
    if (t[i] ~ /^(global|shared)/) space = word(t[i++])
    packed = ops !~ /in b32$/
    f = "{ tc_wmma_" (m == "d" ? "c" : m) "_" shape "_" t[i] " w; TC_WMMA_" (t[2] == "load" ? "LOAD" : "STORE") \
        (packed ? "_PACKED" : "") "(" m ", " al ", " shape ", " space ", " t[i]
    return f (t[2] == "load" ? ", w, p" : ", p, w") (packed ? "" : ", s[0]") "); }"
}

function one(mn, ops,    t, n, m, c) {
    if (mode == "check") { number++; want[number] = wanted(mn, ops); gsub(/ /, "", want[number]); return }
    m = mn; gsub(/::/, "@", m)
    n = split(m, t, ".")
    if (t[1] == "mma") c = call_mma(t, n, ops)
    else if (t[1] == "wmma") c = call_wmma(t, n, ops)
    else if (t[1] == "cp") c = call_cp_async(t, n, m, ops)
    else c = call_matrix(t, n)
    if (number % 100 == 0) {
        if (number) print "}"
        print "__global__ void k" number / 100 \
            "(float *f, uint32_t *u, int32_t *s, double *x, uint16_t *h, void *p, unsigned long long l)\n{"
        print "    float fd[8]; uint32_t ud[8]; int32_t sd[8]; double xd[8];"
    }
    number++
    print "    asm volatile(\"// V" number "\"); " c ";"
}

BEGIN {
    FS = "\t"
    if (mode == "cu") print "#include \"tc_mma.h\"\n#include \"tc_wmma.h\""
}

!/^#/ && $2 ~ /^(mma|wmma|ldmatrix|stmatrix|movmatrix|cp\.async$)/ && belongs($3, arch) && due($9) {
    before = total
    late = $9
    expand($5, $6, $7)
    if (total - before != $4) print "FAIL " $1 ": " total - before " variants, not " $4 > "/dev/stderr"
}

END {
    if (mode == "cu") { if (number) print "}"; exit }
    at = 0
    while ((getline line < ptx) > 0) {
        if (match(line, /\/\/ V[0-9]+$/)) { at = substr(line, RSTART + 4) + 0; continue }
        if (!at || line !~ /^[ \t]*(mma|wmma|ldmatrix|stmatrix|movmatrix|cp\.async)/) continue
        gsub(/%[a-z]+[0-9]+/, "R", line); gsub(/[ \t]/, "", line); sub(/,p;$/, ",R;", line)
        sub(/,p,R;$/, ",R,R;", line)
        if (line == want[at]) {
            good++
            found[at] = 1
        } else if (!found[at]) print "FAIL sm_" arch ": " line " where the table has " want[at]
        at = 0
    }
    for (i = 1; i <= number; i++) if (!found[i]) { bad++; if (bad < 20) print "FAIL sm_" arch ": no " want[i] }
    print good + 0 " passed, " bad + 0 " failed"
    exit bad > 0
}
