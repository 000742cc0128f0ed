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
    take(mn, ops)
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
        else if (piece ~ /pred\|pred$/) piece = "p|q"
        else if (piece ~ /pred$/) piece = piece ~ /b32\|/ ? "R|p" : piece ~ /_\|/ ? "_|p" : "p"
        else if (piece ~ /^(out|in) /) piece = "R"
        else if (piece ~ /^\[tmap/) {
            sub(/^.tmap b64/, "[R", piece); gsub(/,b(16|64)/, ",R", piece)
            while (match(piece, /<[0-9]xs?b?(16|32)\}/))
                piece = substr(piece, 1, RSTART - 1) "{" many(substr(piece, RSTART + 1, 1)) "}" \
                    substr(piece, RSTART + RLENGTH)
        }
        else if (piece ~ /^\[b32,b64/) piece = piece ~ /b64,b64/ ? "[R,R,R]" : "[R,R]"
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
    if (mn ~ /multicast/)
        return "TC_MBARRIER_" toupper(op) "_MULTICAST(" q ", u[4]" (ops ~ /b32, in b32$/ ? ", u[1]" : "") ", u[2])"
    if (op ~ /^arrive/)
        return "TC_MBARRIER_" toupper(op) "(" q ", " (ops ~ /^_/ ? "_" : "l0") ", " a \
            (ops ~ /in b32$/ ? ", u[1]" : "") ")"
    if (op ~ /_tx$/) return "TC_MBARRIER_" toupper(op) "(" q ", " a ", u[1])"
    if (op == "check_layout") return "TC_MBARRIER_CHECK_LAYOUT(" q ", s0, " a ")"
    op = toupper(op)
    if (ops ~ /pred\|pred/) {
        a = "REPORT" (ops ~ /b8/ ? "_VALUE" : "") "(" q ", s0, s1" (ops ~ /b8/ ? ", u0" : "") ", " a
        if (sub(/\(\.parity/, "(", a)) op = op "_PARITY"
        sub(/^.*\[b32\], /, "", ops)
        return "TC_MBARRIER_" op "_" a (op ~ /PARITY/ ? ", u[1]" : ", l[1]") (ops ~ /,/ ? ", u[2])" : ")")
    }
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
        else if (x ~ /^cta_group/) { group = x; sub(/^cta_group::/, "", group) }
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

# tensor copies with what came after PTX 9.0: tc_tma_more.h
function call_tensor_more(mn, ops,    m, t, n, i, dim, mode, report, multi, group, hint, red, space, box, w, c, k, p,
                          x, tail) {
    m = mn; gsub(/::/, "@", m)
    n = split(m, t, ".")
    for (i = 1; i <= n; i++) {
        x = t[i]; gsub(/@/, "::", x)
        if (x ~ /^[1-5]d$/) dim = x
        else if (x ~ /^(tile|im2col)/) mode = x
        else if (sub(/^mbarrier::report::/, "", x)) report = x
        else if (sub(/^multicast::cluster::/, "", x)) multi = x
        else if (x ~ /^cta_group/) { group = x; sub(/^cta_group::/, "", group) }
        else if (x == "L2::cache_hint") hint = x
        else if (x == "L2::evict_last") hint = "evict_last"
        else if (x ~ /^shared::/ && !space) space = x
        else if (x ~ /^(add|min|max|inc|dec|and|or|xor)$/) red = x
    }
    k = ops; sub(/^.*\[tmap/, "", k); sub(/\].*$/, "", k); sub(/^.*\{/, "", k)
    c = "(s[0]"; for (i = 1; i < k + 0; i++) c = c ", s[" i "]"
    c = c ")"
    box = "(p"
    if (mn ~ /override/) box = box ", l[1]"
    if (mn ~ /global_dim/) {
        p = "h[0]"; for (i = 1; i < k + 0; i++) p = p ", h[" i "]"
        box = box ", (" p ")"
        if (mn ~ /dim_stride/) {
            p = "u[0]"; for (i = 1; i < k - 1; i++) p = p ", u[" i "]"
            box = box ", (" p "), h[7]"
        }
    }
    box = box ", " c ")"
    if (ops ~ /in\{/) {
        k = ops
        sub(/^.*in\{/, "", k)
        w = "h[0]"
        for (i = 1; i < k + 0; i++) w = w ", h[" i "]"
        w = ", (" w ")"
    }
    tail = (hint ~ /cache/ ? ", l[0])" : ")")
    if (mn ~ /^applypriority/)
        return "TC_APPLYPRIORITY_ASYNC_BULK_TENSOR(" dim ", " (mn ~ /\.global/ ? "global" : "") ", " mode ", " box w ")"
    if (mn ~ /prefetch/) return "TC_CP_ASYNC_BULK_PREFETCH_TENSOR_WITH(" dim ", " mode ", " hint ", " box w tail
    if (red) return "TC_CP_REDUCE_ASYNC_BULK_TENSOR_WITH(" dim ", " red ", " mode ", " hint ", " box ", u[0]" tail
    if (mn ~ /bulk_group/) return "TC_CP_ASYNC_BULK_TENSOR_STORE_WITH(" dim ", " mode ", " hint ", " box ", u[0]" tail
    return "TC_CP_ASYNC_BULK_TENSOR_WITH(" dim ", " space ", " mode ", " report ", " multi ", " group ", " hint \
        ", u[0], " box ", u[1]" w (multi == "16b" ? ", h[4]" : multi ? ", u[4]" : "") tail
}

# bulk copies with what came after PTX 9.0: tc_tma_more.h, tc_multimem.h
function call_bulk_more(mn, ops,    q, t, n, op, type, multi, tail) {
    n = split(mn, t, ".")
    multi = sub(/^multimem\./, "", mn) ? "MULTIMEM_" : ""
    tail = mn ~ /cache_hint/ ? ", l[0])" : ")"
    if (mn ~ /prefetch/) return "TC_CP_ASYNC_BULK_PREFETCH_EVICT_LAST(p, u[0])"
    if (mn ~ /^applypriority/) return "TC_APPLYPRIORITY_ASYNC_BULK(" (mn ~ /\.global/ ? ".global" : "") ", p, u[0])"
    if (mn ~ /^cp.reduce/) {
        type = t[n]; op = t[n - 1] == "noftz" ? "add.noftz" : t[n - 1]
        q = rest(mn, "cp.reduce.async.bulk", "." op "." type)
        if (mn ~ /shared::cluster/)
            return "TC_CP_REDUCE_ASYNC_BULK_CLUSTER_Q(" q ", " op ", " type ", u[0], u[1], u[2], u[3])"
        return "TC_" multi "CP_REDUCE_ASYNC_BULK_Q" (mn ~ /cache_hint/ ? "_HINT" : "") "(" q ", " op ", " type \
            ", p, u[1], u[2]" tail
    }
    q = rest(mn, "cp.async.bulk", "")
    if (mn ~ /shared::cluster.shared::cta/) return "TC_CP_ASYNC_BULK_CLUSTER_Q(" q ", u[0], u[2], u[1], u[3])"
    if (mn ~ /bulk_group/)
        return "TC_" multi "CP_ASYNC_BULK_STORE_Q" (mn ~ /hint/ ? "_HINT" : "") (mn ~ /cp_mask/ ? "_MASK" : "") "(" q \
            ", p, u[0], u[1]" (mn ~ /hint/ ? ", l[0]" : "") (mn ~ /cp_mask/ ? ", h[0])" : ")")
    return "TC_CP_ASYNC_BULK_Q" (mn ~ /oob/ ? "_OOB" : mn ~ /32b/ ? "_MULTICAST_32B" : mn ~ /multicast/ ? \
        "_MULTICAST_16B" : "") (mn ~ /hint/ ? "_HINT" : "") "(" q ", u[0], p, u[1]" (mn ~ /oob/ ? ", u[2], u[3]" : "") \
        ", u[4]" (mn ~ /32b/ ? ", u[5]" : mn ~ /multicast/ ? ", h[0]" : "") tail
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
    if (mn ~ /query|alloc/) {
        p = mn ~ /\.shared/ ? "u[0]" : "p"
        if (mn ~ /query/)
            return "TC_TENSORMAP_QUERY_ALLOC_CLASS_LARGE(" rest(mn, "tensormap.query.alloc_class_large", ".b1024") \
                ", s0, " p ")"
        return "TC_TENSORMAP_REPLACE_ADDRESS(" rest(mn, "tensormap.replace.tile.global_address", ".b1024.b64") ", " p \
            ", l[0])"
    }
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
    if (type == "b128") {
        q = rest(mn, "st.async", ".mbarrier::complete_tx::bytes.b128")
        return "TC_ST_ASYNC_B128(" q ", " (q ~ /shared/ ? "u[0], l, u[1])" : "p, l, p)")
    }
    if (mn ~ /^red.async.relaxed/) return "TC_RED_ASYNC(" t[n - 1] ", " type ", u[0], " arr(type) "[1], u[2])"
    if (mn ~ /^red/)
        return "TC_RED_ASYNC_GLOBAL(" rest(mn, "red.async", ".global.add." type) ", " type ", p, " arr(type) "[1])"
    if (mn ~ /\.global\./)
        return "TC_ST_ASYNC_GLOBAL(" rest(mn, "st.async", ".global." type) ", " type ", p, " \
            (type ~ /16/ ? "h" : arr(type)) "[1])"
    vec = t[n - 1] ~ /^v[24]$/ ? t[n - 1] : ""
    return "TC_ST_ASYNC(" (mn ~ /weak/ ? ".weak" : "") ", " vec ", " type ", u[0], " arr(type) ", u[1])"
}

function call_cvt(mn, ops,    t, n, q, src, d, i, m, p) {
    n = split(mn, t, ".")
    q = rest(mn, "cvt", "." t[n - 1] "." t[n])
    d = ops ~ /^out b16/ ? "h0" : "u0"
    src = ""
    sub(/in\{4xf32\}/, "in f32, in f32, in f32, in f32", ops)
    m = split(ops, p, ", ")
    for (i = 2; i <= m; i++)
        src = src (i > 2 ? ", " : "") (p[i] ~ /f32/ ? "f" : p[i] ~ /b16/ ? "h" : "u") "[" i - 2 "]"
    return "TC_CVT(" q ", " t[n - 1] ", " t[n] ", " d ", " src "); u[" 30 + number "] = " d
}

# ld, st, atom and red of global memory that came after PTX 9.0
function call_global(mn, ops,    t, n, type, d, q) {
    n = split(mn, t, ".")
    q = mn ~ /\.global/ ? ".global" : ""
    if (mn ~ /readonly/) {
        type = t[n - 1]
        d = type == "f32" ? "f" : type == "f64" ? "x" : type ~ /64/ ? "l" : type ~ /16/ ? "h" : "u"
        return "TC_LD_READONLY(" q ", " type ", " d "0, p); " d "[" 30 + number "] = " d "0"
    }
    if (mn ~ /^ld.mmio/) return "TC_LD_MMIO_ACQUIRE(" q ", " t[n] ", u0, p)"
    if (mn ~ /^st.mmio/) return "TC_ST_MMIO_RELEASE(" q ", " t[n] ", p, u[1])"
    q = mn; sub(/\.add.*$/, "", q); sub(/^[a-z]*/, "", q)
    type = t[n - 1] ~ /^v[24]$/ ? t[n - 1] : ""
    return "TC_" toupper(t[1]) "_ADD_NOFTZ_F32(" q ", " type (t[1] == "atom" ? ", fd" : "") ", p, f)"
}

function call_multimem(mn, ops,    t, n, q, type, vec, op, m, x) {
    n = split(mn, t, ".")
    type = t[n]; vec = t[n - 1] ~ /^v[248]$/ ? t[n - 1] : ""
    x = type == "f32" ? "f" : type == "f64" ? "x" : type ~ /64/ ? "l" : \
        type ~ /^(b?f16|e4m3x2|e5m2x2|[bus]16)$/ ? "h" : "u"
    if (mn ~ /async/) {
        q = rest(mn, "multimem." t[2] ".async", "." type); sub(/\.add$/, "", q)
        return "TC_MULTIMEM_" toupper(t[2]) "_ASYNC(" q ", " type ", p, " x "[1])"
    }
    q = rest(mn, "multimem." t[2], (vec ? "." vec : "") "." type)
    if (t[2] == "st") return "TC_MULTIMEM_ST(" q ", " vec ", " type ", p, " x ")"
    match(q, /\.(add|min|max|and|or|xor)(\.acc::f(16|32))?$/)
    op = substr(q, RSTART + 1); q = substr(q, 1, RSTART - 1)
    if (t[2] == "red") return "TC_MULTIMEM_RED(" q ", " op ", " vec ", " type ", p, " x ")"
    return "TC_MULTIMEM_LD_REDUCE(" q ", " op ", " vec ", " type ", " x "d, p)"
}

function call_fabric(mn, ops,    t, n, q, what) {
    n = split(mn, t, ".")
    if (mn == "fabric.submit") return "TC_FABRIC_SUBMIT()"
    if (mn ~ /commit_group/) return "TC_FABRIC_SUBMIT_COMMIT_GROUP()"
    if (mn ~ /wait/) { sub(/imm /, "", ops); return "TC_FABRIC_WAIT_READ(" ops ")" }
    if (mn ~ /get/) return "TC_FABRIC_TRY_GET(u[0], u[1], l[0], u[2], u[3])"
    q = mn; sub(/^.*\.relaxed\.sys\./, "", q); sub(/\.sync$/, "", q)
    what = q; sub(/\.[a-z0-9]*$/, "", what); sub(/^.*\./, "", q)
    if (mn ~ /pullred/) return "TC_FABRIC_TRY_PULLRED(" what ", " q ", u[0], u[1], l[0], u[2], u[3])"
    if (mn ~ /atom/) return "TC_FABRIC_TRY_ATOM(" what ", " q ", u[1], l[0], u[2], u[3], u[4])"
    if (mn ~ /try_red/)
        return "TC_FABRIC_TRY_RED(" (mn ~ /multimem/ ? ".multimem" : "") ", " what ", " q \
            ", u[1], l[0], u[2], u[3], u[4])"
    return "TC_FABRIC_TRY_PUT" (mn ~ /counted/ ? "_COUNTED" : mn ~ /cp_mask/ ? "_MASK" : "") "(" \
        (mn ~ /multimem/ ? ".multimem" : "") ", u[1], l[0], " (mn ~ /counted/ ? "l[1], " : "") "u[2], u[3], u[4]" \
        (mn ~ /cp_mask/ ? ", h[0])" : ")")
}

function call_other(mn, ops,    r) {
    if (ops ~ /percta/) {
        r = mn; sub(/^mov\./, "", r)
        return ops ~ /offset/ ? "TC_MOV_PERCTAMEMORYOFFSET(" r ", l0)" : "TC_MOV_PERCTAMEMORYSIZE(" r ", u0)"
    }
    if (mn == "trace.mark") { sub(/imm /, "", ops); return "TC_TRACE_MARK(" ops ")" }
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
    else if (mn ~ /\.tensor/ && mn ~ /override|report|multicast::cluster::|evict_last|no_offs::w|^applyp/)
        c = call_tensor_more(mn, ops)
    else if (mn ~ /^cp\..*\.tensor/) c = call_tensor(mn, ops)
    else if (mn ~ /^(multimem.)?(cp|applypriority)\..*async.bulk/ &&
             mn ~ /^multimem|relaxed|weak|oob|report|multicast::cluster::|evict_last|^applyp|add.noftz.f32/)
        c = call_bulk_more(mn, ops)
    else if (mn ~ /^cp.async.bulk/) c = call_bulk(mn, ops)
    else if (mn ~ /^cp.reduce/) c = call_reduce(mn)
    else if (mn ~ /tensormap/ && mn !~ /^fence/) c = call_tensormap(mn, ops)
    else if (mn ~ /^(st|red).async/) c = call_async(mn, ops)
    else if (mn ~ /^multimem/) c = call_multimem(mn, ops)
    else if (mn ~ /^fabric/) c = call_fabric(mn, ops)
    else if (mn ~ /readonly|mmio\.(acquire|release)\.sys(\.global)?\.[bu]|noftz\.(v[24]\.)?f32/ && mn !~ /^cp|async/)
        c = call_global(mn, ops)
    else if (mn ~ /^(createpolicy|applypriority|discard|prefetch|ld|st)/) c = call_memory(mn, ops)
    else if (mn ~ /^cvt\.r/) c = call_cvt(mn, ops)
    else c = call_other(mn, ops)
    if (part == "wgmma" || (number - 1) % 60 == 0) {
        if (number > 1) print "}"
        print "__global__ void k" number \
            "(float *f, uint32_t *u, int32_t *s, double *x, uint16_t *h, unsigned long long *l, void *p)\n{"
        print "    float fd[128]; uint32_t ud[128], u0 = 0; uint64_t ld[4], l0 = 0; double xd[4]; uint16_t hd[8];"
        print "    uint16_t h0 = 0; int s0, s1; float f0; double x0;"
    }
    print "    " c ";"
}

BEGIN {
    FS = "\t"
    if (mode == "cu") {
        print "#include \"tc_wgmma.h\"\n#include \"tc_tma.h\"\n#include \"tc_types.h\""
        if (part == "rest") print "#include \"tc_tma_more.h\"\n#include \"tc_multimem.h\"\n#include \"tc_fabric.h\""
    }
}

!/^#/ && ($2 ~ /^(wgmma|mbarrier|fence|barrier|cp\.async\.bulk|cp\.reduce|tensormap|st\.async|red\.async)/ ||
          $2 ~ /^(clusterlaunch|elect|setmaxnreg|griddep|cvt|cluster|cache|ld\.st|sreg|multimem|fabric)/) && \
(part == "wgmma") == ($2 ~ /^wgmma/) && belongs($3, arch) && due($9) {
    before = total
    late = $9
    expand($5, $6, $7)
    if (total - before != $4) print "FAIL " $1 ": " total - before " variants, not " $4 > "/dev/stderr"
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
    gsub(/, w, /, ", R, ", s)
    gsub(/\{b0/, "{R", s); gsub(/, b[1-7]/, ", R", s)
    gsub(/, [bs];/, ", R;", s); gsub(/ b, /, " R, ", s); gsub(/, h;/, ", R;", s); gsub(/, none}/, ", R}", s)
    return s
}
