# cover_async.awk - writes a program that calls the kit for every variant of wgmma, mbarrier, fence, barrier, TMA,
# tensormap, st.async, red.async, clusterlaunchcontrol, elect, setmaxnreg, griddepcontrol, cvt, cluster and cache
# instructions that tests/isa/variants.tsv lists for a target, or looks for each of them in the PTX of that program.
#     awk -v arch=90a -v part=wgmma -v mode=cu -f tests/cover_async.awk tests/isa/variants.tsv > cover.cu          part:
#     wgmma or rest
#     nvcc -std=c++17 -gencode arch=compute_90a,code=compute_90a -ptx cover.cu
#     awk -v arch=90a -v part=wgmma -v mode=check -v ptx=cover.ptx -f tests/cover_async.awk tests/isa/variants.tsv
# What is looked for: the mnemonic of the table with its operands, as many registers in each list; a literal may be a
# register where PTX takes both. (tests/cover_async.sh does it for all targets.)

function belongs(list, arch,    n) {
    sub(/^107/, "103", arch) # of this table sm_107 has what sm_103 has
    if (list ~ /\+$/) { n = list; gsub(/[^0-9]/, "", n); return arch + 0 >= n + 0 }
    return index("," list ",", "," arch ",") > 0
}

# One alternative after the other of each {...} of a mnemonic ({a..b:s} counts), and of each value of the sweep
function expand(mn, ops, sweep,    i, j, k, n, part_, parts, name, s, list, lo, hi, st) {
    i = index(mn, "{")
    if (i) {
        j = index(mn, "}")
        list = substr(mn, i + 1, j - i - 1)
        if (list ~ /^[0-9]+\.\.[0-9]+:[0-9]+$/) {
            split(list, part_, /[.:]+/); lo = part_[1] + 0; hi = part_[2] + 0; st = part_[3] + 0
            list = lo
            for (k = lo + st; k <= hi; k += st) list = list "," k
        }
        n = split(list, parts, ",")
        if (list ~ /,$/ && n == 1) parts[++n] = ""
        if (substr(list, 1, 1) == "," && parts[1] != "") {
            for (k = n; k >= 1; k--) parts[k + 1] = parts[k]
            parts[1] = ""
            n++
        }
        for (k = 1; k <= n; k++) expand(substr(mn, 1, i - 1) parts[k] substr(mn, j + 1), ops, sweep)
        return
    }
    if (sweep != "-" && sweep != "") {
        split(sweep, part_, " ")
        name = substr(part_[1], 1, index(part_[1], "=") - 1)
        n = split(substr(part_[1], length(name) + 2), parts, ",")
        sub(/^[^ ]* ?/, "", sweep)
        for (k = 1; k <= n; k++) {
            s = ops
            while ((i = match(s, "\\$" name "[^A-Z]")) || (i = match(s, "\\$" name "$")))
                s = substr(s, 1, i - 1) parts[k] substr(s, i + 1 + length(name))
            expand(mn, s, sweep)
        }
        return
    }
    if (ops ~ /, hint$/) { if (mn ~ /L2::cache_hint/) sub(/hint$/, "in b64", ops); else sub(/, hint$/, "", ops) }
    one(mn, ops)
}

function many(n,    list) { list = "R"; while (--n > 0) list = list ",R"; return list }
# The operands as they must stand in PTX, each register an R. soft: literals are registers
function wanted(mn, ops, soft,    p, n, i, out, piece, k) {
    if (ops == "-") return mn ";"
    gsub(/,\{/, ",<", ops); gsub(/\{/, "<", ops)
    n = split(ops, p, ", ")
    out = ""
    for (i = 1; i <= n; i++) {
        piece = p[i]
        if (piece ~ /^inout</) {
            k = mn
            sub(/^.*\.m64n/, "", k)
            k += 0
            piece = "{" many(mn ~ /k[0-9]+\.f16\./ ? k / 4 : k / 2) "}"
        }
        else if (piece ~ /^(out|in)</) { k = piece; sub(/^[a-z]*</, "", k); piece = "{" many(k + 0) "}" }
        else if (piece ~ /pred$/) piece = piece ~ /b32\|/ ? "R|p" : piece ~ /_\|/ ? "_|p" : "p"
        else if (piece ~ /^(out|in) /) piece = "R"
        else if (piece ~ /^\[tmap/) { k = piece; sub(/^.*</, "", k); piece = "[R,{" many(k + 0) "}]" }
        else if (piece ~ /^\[/) piece = "[R]"
        else if (mn ~ /^wgmma.mma/ && piece ~ /^imm/ && p[i - 1] == "in b64" && mn !~ /\.sp\./) piece = "p"    # scale-d
        else { sub(/^imm /, "", piece); if (soft && piece !~ /^%/) piece = "R" }
        out = out (i > 1 ? "," : "") piece
    }
    return mn out ";"
}

function rest(mn, head, tail,    s) {
    s = substr(mn, length(head) + 1)
    if (tail != "") s = substr(s, 1, length(s) - length(tail))
    return s
}
function arr(type) { return type == "f32" ? "f" : type == "f64" ? "x" : type ~ /64/ ? "l" : "u" }
# n literals or registers after the k-th ", "
function lits(ops, from,    p, n, i, out) {
    n = split(ops, p, ", ")
    out = ""
    for (i = from; i <= n; i++) { sub(/^imm /, "", p[i]); out = out ", " p[i] }
    return out
}

function call_wgmma(mn, ops,    t, n, i, d, a, b, sp, nn, rs, tail, sel, sd, k) {
    if (mn == "wgmma.fence.sync.aligned") return "tc_wgmma_fence()"
    if (mn == "wgmma.commit_group.sync.aligned") return "tc_wgmma_commit_group()"
    if (mn ~ /^wgmma.wait_group/) { sub(/imm /, "", ops); return "TC_WGMMA_WAIT_GROUP(" ops ")" }
    sp = mn ~ /\.sp\./
    n = split(mn, t, ".")
    i = sp ? 6 : 5
    nn = t[i]; sub(/^m64n/, "", nn); nn += 0
    d = t[i + 1]; a = t[i + 2]; b = t[i + 3]
    for (k = i + 4; k <= n; k++) b = b "." t[k]
    rs = ops ~ /inout\{[^}]*\}, in\{/
    sd = "s[0]"
    tail = ops
    if (tail ~ /in pred/) sub(/^.*in pred/, "", tail)
    else {
        sub(/^.*in b64/, "", tail)
        sd = substr(tail, 7, 1)
        tail = substr(tail, 8)
    }
    gsub(/imm /, "", tail)
    if (sp) { sel = ops; sub(/^.*in b32, imm /, "", sel); sel = ", u[7], " substr(sel, 1, 1) }
    return "TC_WGMMA" (sp ? "_SP" : "") (rs ? "_RS(" : "_SS(") nn ", " d ", " a ", " b ", " (d == "f32" ? "fd" : "ud") \
        ", " (rs ? "u" : "l[0]") ", l[1]" sel ", " sd tail ")"
}

function call_mbarrier(mn, ops,    t, q, op, a) {
    split(mn, t, ".")
    op = t[2]
    if (op == "pending_count") return "u[0] = tc_mbarrier_pending_count(l[0])"
    q = rest(mn, "mbarrier." op, ".b64")
    a = q ~ /shared/ ? "u[4]" : "p"
    if (op == "init") return "TC_MBARRIER_INIT(" q ", " a ", u[1])"
    if (op == "inval") return "TC_MBARRIER_INVAL(" q ", " a ")"
    if (op ~ /^arrive/)
        return "TC_MBARRIER_" toupper(op) "(" q ", " (ops ~ /^_/ ? "_" : "l0") ", " a \
            (ops ~ /in b32$/ ? ", u[1]" : "") ")"
    if (op ~ /_tx$/) return "TC_MBARRIER_" toupper(op) "(" q ", " a ", u[1])"
    op = toupper(op)
    if (q ~ /^\.parity/) {
        q = substr(q, 8)
        return "TC_MBARRIER_" op "_PARITY(" q ", s0, " a ", u[1]" (ops ~ /in b32, in b32$/ ? ", u[2]" : "") ")"
    }
    return "TC_MBARRIER_" op "(" q ", s0, " a ", l[1]" (ops ~ /in b32$/ ? ", u[2]" : "") ")"
}

function call_tensor(mn, ops,    t, n, i, dim, space, mode, multi, group, hint, op, c, w, k, m, list, x) {
    m = mn; gsub(/::/, "@", m)
    n = split(m, t, ".")
    op = t[2] == "reduce" ? "reduce" : t[4] == "prefetch" ? "prefetch" : "copy"
    for (i = 1; i <= n; i++) {
        x = t[i]; gsub(/@/, "::", x)
        if (x ~ /^[1-5]d$/) dim = x
        else if (x ~ /^(tile|im2col)/) mode = x
        else if (x == "multicast::cluster") multi = x
        else if (x ~ /^cta_group/) group = x
        else if (x == "L2::cache_hint") hint = x
        else if (x ~ /^shared::/ && !space) space = x
        else if (x ~ /^(add|min|max|inc|dec|and|or|xor)$/) list = x
    }
    k = ops; sub(/^.*tmap b64,\{/, "", k); c = "s[0]"; for (i = 1; i < k + 0; i++) c = c ", s[" i "]"
    if (ops ~ /in\{/) {
        k = ops
        sub(/^.*in\{/, "", k)
        w = "h[0]"
        for (i = 1; i < k + 0; i++) w = w ", h[" i "]"
        w = ", (" w ")"
    }
    if (op == "reduce")
        return "TC_CP_REDUCE_ASYNC_BULK_TENSOR(" dim ", " list ", " mode ", " hint ", p, (" c "), u[0]" \
            (hint ? ", l[0]" : "") ")"
    if (op == "prefetch")
        return "TC_CP_ASYNC_BULK_PREFETCH_TENSOR(" dim ", " mode ", " hint ", p, (" c ")" w (hint ? ", l[0]" : "") ")"
    if (mn ~ /bulk_group/)
        return "TC_CP_ASYNC_BULK_TENSOR_STORE(" dim ", " mode ", " hint ", p, (" c "), u[0]" (hint ? ", l[0]" : "") ")"
    return "TC_CP_ASYNC_BULK_TENSOR(" dim ", " space ", " mode ", " multi ", " group ", " hint ", u[0], p, (" c \
        "), u[1]" w (multi ? ", h[4]" : "") (hint ? ", l[0]" : "") ")"
}

function call_bulk(mn, ops,    q, size) {
    if (mn ~ /commit_group/) return "tc_cp_async_bulk_commit_group()"
    if (mn ~ /wait_group/) {
        sub(/imm /, "", ops)
        return "TC_CP_ASYNC_BULK_WAIT_GROUP" (mn ~ /read/ ? "_READ" : "") "(" ops ")"
    }
    if (mn ~ /\.prefetch\./)
        return mn ~ /hint/ ? "tc_cp_async_bulk_prefetch_hint(p, u[0], l[0])" : "tc_cp_async_bulk_prefetch(p, u[0])"
    size = ops ~ /imm 1024/ ? "1024" : "u[1]"
    if (mn ~ /^cp.async.bulk.shared::cluster.shared::cta/) return "tc_cp_async_bulk_s2cluster(u[0], u[2], u[1], u[3])"
    if (mn ~ /bulk_group/)
        return "tc_cp_async_bulk_s2g" (mn ~ /hint/ ? "_hint" : "") (mn ~ /cp_mask/ ? "_mask" : "") "(p, u[0], u[1]" \
            (mn ~ /hint/ ? ", l[0]" : "") (mn ~ /cp_mask/ ? ", h[0]" : "") ")"
    return "tc_cp_async_bulk_g2" (mn ~ /bulk.shared::cta/ ? "cta" : "s") (mn ~ /multicast/ ? "_multicast" : "") \
        (mn ~ /hint/ ? "_hint" : "") "(u[0], p, " size ", u[2]" \
           (mn ~ /multicast/ ? ", h[0]" : "") (mn ~ /hint/ ? ", l[0]" : "") ")"
}

function call_reduce(mn,    t, n, op, type) {
    n = split(mn, t, ".")
    type = t[n]; op = t[n - 1] == "noftz" ? "add.noftz" : t[n - 1]
    if (mn ~ /shared::cluster/) return "TC_CP_REDUCE_ASYNC_BULK_CLUSTER(" op ", " type ", u[0], u[1], u[2], u[3])"
    return "TC_CP_REDUCE_ASYNC_BULK" (mn ~ /hint/ ? "_HINT" : "") "(" op ", " type ", p, u[1], u[2]" \
        (mn ~ /hint/ ? ", l[0]" : "") ")"
}

function call_tensormap(mn, ops,    t, n, field, space, p) {
    if (mn ~ /^prefetch/) return "TC_PREFETCH_TENSORMAP(" rest(mn, "prefetch", ".tensormap") ", p)"
    if (mn ~ /cp_fenceproxy/) {
        sub(/^.*release/, "", mn)
        sub(/\.sync.*$/, "", mn)
        return "TC_TENSORMAP_CP_FENCEPROXY(" mn ", p, u[0])"
    }
    n = split(mn, t, ".")
    field = t[4]; space = n == 7 ? t[5] : ""
    p = space ~ /shared/ ? "u[0]" : "p"
    if (field == "global_address") return "TC_TENSORMAP_REPLACE(" field ", " space ", " p ", l[0])"
    if (field == "rank") return "TC_TENSORMAP_REPLACE(" field ", " space ", " p ", u[1])"
    sub(/^\[[^]]*\], imm /, "", ops); sub(/, in .*$/, "", ops)
    return "TC_TENSORMAP_REPLACE(" field ", " space ", " p ", " ops \
        (field ~ /dim|stride/ ? (field == "global_stride" ? ", l[0]" : ", u[1]") : "") ")"
}

function call_memory(mn, ops,    t, n, vec, type, q, i, op) {
    n = split(mn, t, ".")
    op = t[1]
    if (mn ~ /^createpolicy.cvt/) return "l[" 30 + number "] = tc_createpolicy_cvt(l[0])"
    if (mn ~ /^createpolicy.fractional/)
        return "TC_CREATEPOLICY_FRACTIONAL(" rest(mn, "createpolicy.fractional", ".b64") ", l0" \
            (ops ~ /imm/ ? ", 0.5f" : ops ~ /in f32/ ? ", f[0]" : "") "); l[" 30 + number "] = l0"
    if (mn ~ /^createpolicy.range/)
        return "TC_CREATEPOLICY_RANGE(" rest(mn, "createpolicy.range", ".b64") ", l0, p, u[0], u[1]); l[" 30 + number \
            "] = l0"
    if (op == "applypriority") return "TC_APPLYPRIORITY(" rest(mn, op, ".L2::evict_normal") ", p)"
    if (op == "discard") return "TC_DISCARD(" rest(mn, op, ".L2") ", p)"
    if (op == "prefetch") return "TC_PREFETCH(" rest(mn, op, "") ", p)"
    if (op == "prefetchu") return "tc_prefetchu_L1(p)"
    if (mn ~ /^st.bulk/) return "TC_ST_BULK(" rest(mn, "st.bulk", "") ", " (mn ~ /shared/ ? "u[0]" : "p") ", l[0])"
    type = t[n]; vec = t[n - 1] ~ /^v[248]$/ ? t[n - 1] : ""
    if (mn ~ /shared::cluster/)
        return op == "ld" ? "TC_LD_SHARED_CLUSTER(" vec ", " type ", " arr(type) "d, u[0])" : "TC_ST_SHARED_CLUSTER(" \
            vec ", " type ", u[0], " arr(type) ")"
    q = rest(mn, op ".global", (vec ? "." vec : "") "." type)
    if (op == "ld") return "TC_LD_GLOBAL(" q ", " vec ", " type ", " arr(type) "d, p" (q ~ /hint/ ? ", l[0]" : "") ")"
    return "TC_ST_GLOBAL(" q ", " vec ", " type ", p, " arr(type) (q ~ /hint/ ? ", l[0]" : "") ")"
}

function call_async(mn, ops,    t, n, vec, type, q) {
    n = split(mn, t, ".")
    type = t[n]
    if (mn ~ /^red.async.relaxed/) return "TC_RED_ASYNC(" t[n - 1] ", " type ", u[0], " arr(type) "[1], u[2])"
    if (mn ~ /^red/)
        return "TC_RED_ASYNC_GLOBAL(" rest(mn, "red.async", ".global.add." type) ", " type ", p, " arr(type) "[1])"
    if (mn ~ /\.global\./)
        return "TC_ST_ASYNC_GLOBAL(" rest(mn, "st.async", ".global." type) ", " type ", p, " \
            (type ~ /16/ ? "h" : arr(type)) "[1])"
    vec = t[n - 1] ~ /^v[24]$/ ? t[n - 1] : ""
    return "TC_ST_ASYNC(" (mn ~ /weak/ ? ".weak" : "") ", " vec ", " type ", u[0], " arr(type) ", u[1])"
}

function call_cvt(mn, ops,    t, n, q, src, d) {
    n = split(mn, t, ".")
    q = rest(mn, "cvt", "." t[n - 1] "." t[n])
    d = ops ~ /^out b16/ ? "h0" : "u0"
    src = t[n] == "f32" ? "f[0]" : ops ~ /, in b16$/ ? "h[0]" : "u[0]"
    if (ops ~ /in\{4xf32\}/) src = "f[0], f[1], f[2], f[3], u[0]"
    else if (ops ~ /in f32, in f32, in b32/) src = "f[0], f[1], u[0]"
    else if (ops ~ /in f32, in f32/) src = "f[0], f[1]"
    return "TC_CVT(" q ", " t[n - 1] ", " t[n] ", " d ", " src "); u[" 30 + number "] = " d
}

function call_other(mn, ops,    r) {
    if (mn ~ /^fence.proxy.tensormap::generic.acquire/)
        return "TC_FENCE_PROXY_TENSORMAP_ACQUIRE(" rest(mn, "fence.proxy.tensormap::generic.acquire", "") ", p)"
    if (mn ~ /^fence/) return "TC_FENCE(" rest(mn, "fence", "") ")"
    if (mn ~ /^membar/) return "TC_MEMBAR(" rest(mn, "membar", "") ")"
    if (mn ~ /^barrier.cluster.arrive/) return "TC_BARRIER_CLUSTER_ARRIVE(" rest(mn, "barrier.cluster.arrive", "") ")"
    if (mn ~ /^barrier.cluster.wait/) return "TC_BARRIER_CLUSTER_WAIT(" rest(mn, "barrier.cluster.wait", "") ")"
    r = ops; gsub(/imm /, "", r); if (ops == "in b32, in b32") r = "s[0], s[1]"
    if (mn ~ /^barrier.cta.sync/) return "TC_BARRIER_CTA_SYNC(" rest(mn, "barrier.cta.sync", "") ", " r ")"
    if (mn ~ /^barrier.cta.arrive/) return "TC_BARRIER_CTA_ARRIVE(" rest(mn, "barrier.cta.arrive", "") ", " r ")"
    if (mn == "bar.sync") return "tc_bar_sync(s[0], s[1])"
    if (mn == "bar.arrive") return "tc_bar_arrive(s[0], s[1])"
    if (mn == "bar.warp.sync") return "tc_bar_warp_sync(u[0])"
    if (mn ~ /^elect/)
        return ops ~ /_/ ? "s[" 30 + number "] = tc_elect_one()" : "s[" 30 + number "] = tc_elect_sync(&u0, " \
            (ops ~ /imm/ ? "0xffffffffu" : "u[0]") "); u[" 30 + number "] = u0"
    if (mn ~ /^setmaxnreg/) { sub(/^setmaxnreg./, "", mn); return "TC_SETMAXNREG_" toupper(substr(mn, 1, 3)) "(" r ")" }
    if (mn ~ /^griddepcontrol/) return "tc_griddepcontrol_" rest(mn, "griddepcontrol.", "") "()"
    if (mn ~ /try_cancel/)
        return "TC_CLUSTERLAUNCHCONTROL_TRY_CANCEL" (mn ~ /multicast/ ? "_MULTICAST" : "") "(" \
            (mn ~ /shared/ ? ".shared::cta, u[0], u[1])" : ", p, p)")
    if (mn ~ /is_canceled/) return "s[" 30 + number "] = tc_clusterlaunchcontrol_is_canceled(l[0], l[1])"
    if (mn ~ /ctaid.v4/) return "tc_clusterlaunchcontrol_first_ctaid(u + 12, l[0], l[1])"
    if (mn ~ /ctaid::/) {
        sub(/^.*ctaid::/, "", mn)
        return "u[" 30 + number "] = tc_clusterlaunchcontrol_first_ctaid_" substr(mn, 1, 1) "(l[0], l[1])"
    }
    if (mn ~ /^mov/) { sub(/^.*%/, "", ops); gsub(/\./, "_", ops); return "u[" 30 + number "] = tc_sreg_" ops "()" }
    if (mn == "mapa.shared::cluster.u32") return "u[" 30 + number "] = tc_mapa(u[0], u[1])"
    if (mn == "mapa.shared::cluster.u64") return "l[" 30 + number "] = tc_mapa_shared_u64(l[0], u[1])"
    if (mn == "mapa.u64") return "l[" 30 + number "] = (uint64_t)tc_mapa_u64(p, u[1])"
    if (mn == "getctarank.shared::cluster.u32") return "u[" 30 + number "] = tc_getctarank(u[0])"
    if (mn == "getctarank.shared::cluster.u64") return "u[" 30 + number "] = tc_getctarank_shared_u64(l[0])"
    if (mn == "getctarank.u64") return "u[" 30 + number "] = tc_getctarank_u64(p)"
    if (mn == "cvta.shared::cluster.u64") return "l[" 30 + number "] = (uint64_t)tc_cvta_shared_cluster(u[0])"
    if (mn == "cvta.to.shared::cluster.u64") return "u[" 30 + number "] = tc_cvta_to_shared_cluster(p)"
    if (mn ~ /^isspacep/) return "s[" 30 + number "] = tc_isspacep_shared_cluster(p)"
    return "static_assert(0, \"no call for " mn "\")"
}

function one(mn, ops,    c, w) {
    number++
    if (mode == "check") {
        w = wanted(mn, ops, 0); gsub(/ /, "", w); want[number] = w
        w = wanted(mn, ops, 1); gsub(/ /, "", w); soft[number] = w
        return
    }
    if (mn ~ /^wgmma/) c = call_wgmma(mn, ops)
    else if (mn ~ /^mbarrier/) c = call_mbarrier(mn, ops)
    else if (mn ~ /^cp\..*\.tensor/) c = call_tensor(mn, ops)
    else if (mn ~ /^cp.async.bulk/) c = call_bulk(mn, ops)
    else if (mn ~ /^cp.reduce/) c = call_reduce(mn)
    else if (mn ~ /tensormap/ && mn !~ /^fence/) c = call_tensormap(mn, ops)
    else if (mn ~ /^(st|red).async/) c = call_async(mn, ops)
    else if (mn ~ /^(createpolicy|applypriority|discard|prefetch|ld|st)/) c = call_memory(mn, ops)
    else if (mn ~ /^cvt\.r/) c = call_cvt(mn, ops)
    else c = call_other(mn, ops)
    if (part == "wgmma" || (number - 1) % 60 == 0) {
        if (number > 1) print "}"
        print "__global__ void k" number \
            "(float *f, uint32_t *u, int32_t *s, double *x, uint16_t *h, unsigned long long *l, void *p)\n{"
        print "    float fd[128]; uint32_t ud[128], u0 = 0; uint64_t ld[4], l0 = 0; double xd[4];"
        print "    uint16_t h0 = 0; int s0;"
    }
    print "    " c ";"
}

BEGIN {
    FS = "\t"
    if (mode == "cu") print "#include \"tc_wgmma.h\"\n#include \"tc_tma.h\"\n#include \"tc_types.h\""
}

!/^#/ && ($2 ~ /^(wgmma|mbarrier|fence|barrier|cp\.async\.bulk|cp\.reduce|tensormap|st\.async|red\.async)/ ||
          $2 ~ /^(clusterlaunch|elect|setmaxnreg|griddep|cvt|cluster|cache)/) && \
(part == "wgmma") == ($2 ~ /^wgmma/) && belongs($3, arch) {
    before = number
    expand($5, $6, $7)
    if (number - before != $4) print "FAIL " $1 ": " number - before " variants, not " $4 > "/dev/stderr"
}

END {
    if (mode == "cu") { if (number) print "}"; exit }
    while ((getline line < ptx) > 0) {
        sub(/^[ \t]*/, "", line)
        gsub(/%[a-z]+[0-9]+/, "R", line)
        line = gensub_simple(line)
        gsub(/[ \t]/, "", line)
        seen[line] = 1
    }
    for (i = 1; i <= number; i++)
        if (want[i] in seen || soft[i] in seen) good++
        else if (++bad <= 20) print "FAIL sm_" arch ": no " want[i]
    print good + 0 " passed, " bad + 0 " failed"
    exit bad > 0
}

# registers that an asm declares for itself
function gensub_simple(s) {
    gsub(/, b;/, ", R;", s); gsub(/ b, /, " R, ", s); gsub(/, h;/, ", R;", s); gsub(/, none}/, ", R}", s)
    return s
}
