# cover_tcgen05.awk - writes a program that calls the kit for every variant of tcgen05, spcompress and spdecompress
# that tests/isa/variants.tsv lists for a target, or compares the PTX of that program with the table.
#     awk -v arch=100a -v mode=cu -f tests/cover_tcgen05.awk tests/isa/variants.tsv > cover.cu
#     nvcc -std=c++17 -gencode arch=compute_100a,code=compute_100a -ptx cover.cu
#     awk -v arch=100a -v mode=check -v ptx=cover.ptx -f tests/cover_tcgen05.awk tests/isa/variants.tsv
# Each call stands behind a comment with its number. The check wants, behind that comment, the mnemonic of the table
# with its operands in their places: it follows the kernel's parameters and constants into the registers, so that an
# address in the place of another is noticed;
# of what an instruction writes it counts the registers. (tests/cover_tcgen05.sh does it for all targets.)

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
function expand(mn, ops, note, sweep,    i, j, k, n, parts, name, s) {
    i = index(mn, "{")
    if (i) {
        j = index(mn, "}")
        n = split(substr(mn, i + 1, j - i - 1), parts, ",")
        for (k = 1; k <= n; k++) expand(substr(mn, 1, i - 1) parts[k] substr(mn, j + 1), ops, note, sweep)
    } else if (sweep != "-") {
        name = substr(sweep, 1, index(sweep, "=") - 1)
        n = split(substr(sweep, length(name) + 2), parts, ",")
        for (k = 1; k <= n; k++) {
            s = ops
            sub("\\$" name, parts[k], s)
            expand(mn, s, note, "-")
        }
    } else {
        sub(/\[b64\|b32\]/, mn ~ /\.shared/ ? "[b32]" : "[b64]", ops)
        take(mn, ops, note)
    }
}

# n of what an instruction reads (the constants 1000, 1001, ..) or writes
function many(n, reads,    i, list) {
    for (i = 0; i < n; i++) list = list (i ? "," : "") (reads ? 1000 + i : "R")
    return "{" list "}"
}

# The operands as they must stand in PTX, registers by what is in them. narrow, wide: the kernel's parameters of 32 and
# 64 bits, in PTX's order
function wanted(mn, ops, note,    p, q, n, i, out, narrow, wide, piece) {
    if (ops == "-") return mn ";"
    narrow = mn ~ /\.(alloc|commit)/ ? (ops ~ /b64/ ? "n" : "s n") : mn ~ /dealloc/ ? "d n" : "d"
    wide = mn ~ /\.(alloc|commit)/ ? "p" : mn ~ /\.cp\./ ? "a" : note ~ /^TS/ ? "b z" : "a b z"
    if (mn ~ /\.mma\./)
        narrow = "d" (note ~ /^TS/ ? " at" : "") (mn ~ /\.sp\.|lut::b/ ? " meta" : "") " idesc" \
            (mn ~ /block_scale/ ? " sfa sfb" : "")
    n = split(ops, p, ", ")
    out = ""
    for (i = 1; i <= n; i++) {
        piece = p[i]
        # enable_input_d: 0 or 1
        if (piece ~ /^imm/ && note ~ /^[ST]S/ && i == n && p[n - 1] !~ /pred/) piece = "p=" substr(piece, 5)
        else if (piece ~ /^imm/) piece = substr(piece, 5)
        else if (piece ~ /pred/) piece = "p=enable"
        else if (piece ~ /^out\{/) piece = many(substr(piece, 5) + 0, 0)
        else if (piece ~ /^in\{/) piece = many(substr(piece, 4) + 0, 1)
        else if (piece ~ /^out /) piece = "R"
        else if (piece == "in b16") piece = "h"
        else if (piece ~ /b32/) { split(narrow, q, " "); sub(/b32/, q[1], piece); sub(/^[a-z]+ ?/, "", narrow) }
        else if (piece ~ /b64/) { split(wide, q, " "); sub(/b64/, q[1], piece); sub(/^[a-z]+ ?/, "", wide) }
        sub(/^in /, "", piece)
        out = out (i > 1 ? "," : "") piece
    }
    return mn out ";"
}

function call(mn, ops, note, g,    t, n, i, k, kind, name, args, value) {
    n = split(mn, t, ".")
    if (t[1] ~ /^sp(de)?compress/) {
        name = t[4]; gsub(/:+/, "_", name)
        return "TC_" toupper(t[1]) "(" t[2] ", " t[3] ", " name ", " t[5] ", " \
            (t[1] == "spcompress" ? "q, r, c, d)" : "r, c, c)") "; asm volatile(\"\" : : \"r\"(r[0]))"
    }
    if (mn ~ /^tcgen05.(de)?alloc/) {
        name = "TC_TCGEN05_" toupper(t[2]) (t[3] == "exclusive" ? "_EXCLUSIVE" : "")
        args = t[2] == "alloc" ? "s" : "d"
        if (ops ~ /b64/) return name "_GENERIC(" g ", p, n)"
        if (ops !~ /imm/) return name "_N(" g ", " args ", n)"
        sub(/^.*imm /, "", ops)
        return name "(" g ", " args ", " ops ")"
    }
    if (t[2] ~ /^(fence|wait)/) { name = t[2]; sub(/::/, "_", name); return "tc_tcgen05_" name "()" }
    if (t[2] == "relinquish_alloc_permit") return "TC_TCGEN05_RELINQUISH_ALLOC_PERMIT(" g ")"
    if (t[2] == "commit") {
        k = mn ~ /multicast/
        if (mn ~ /sync_restrict|cluster::[13]/) {
            name = mn; sub(/^.*arrive::one/, "", name); sub(/\.b64$/, "", name)
            return "TC_TCGEN05_COMMIT_Q" (k ? "_MULTICAST" : "") (mn ~ /::32b/ ? "_32B" : "") "(" g ", " name ", " \
                (mn ~ /shared::cluster/ ? "s" : "p") (!k ? "" : mn ~ /::32b/ ? ", n" : ", h") ")"
        }
        return "TC_TCGEN05_COMMIT" (mn ~ /shared/ ? "" : "_GENERIC") (k ? "_MULTICAST" : "") "(" g ", " \
            (mn ~ /shared/ ? "s" : "p") (k ? ", h" : "") ")"
    }
    if (t[2] == "shift") return "TC_TCGEN05_SHIFT(" g ", d)"
    if (t[2] == "cp") {
        name = mn; sub(/^.*cta_group::[12]\./, "", name)
        return "TC_TCGEN05_CP(" g ", " name ", d, a)"
    }
    if (mn ~ /spcompress/) {
        name = mn; sub(/^.*32x32b\.x[0-9]*/, "", name); sub(/\.f32\.b2$/, "", name)
        match(mn, /\.x[0-9]+/)
        return "TC_TCGEN05_LD_" (t[3] == "red" ? "RED_" : "") "SPCOMPRESS(" substr(mn, RSTART + 1, RLENGTH - 1) \
            ", " name ", q, r, " (t[3] == "red" ? "f, " : "") "d)"
    }
    if (t[3] == "red") {
        name = t[8]
        for (i = 9; i < n; i++) name = name "." t[i]
        value = t[n] == "f32" ? "f" : t[n] == "s32" ? "i" : "u"
        if (t[6] == "16x32bx2") return "TC_TCGEN05_LD_RED_16X32BX2(" t[7] ", " name ", " t[n] ", r, " value ", d, 16)"
        return "TC_TCGEN05_LD_RED(" t[6] ", " t[7] ", " name ", " t[n] ", r, " value ", d)"
    }
    if (t[2] == "ld" || t[2] == "st") {
        name = "TC_TCGEN05_" toupper(t[2]) (t[5] == "16x32bx2" ? "_16X32BX2" : "") \
            (mn ~ /unpack/ ? "_UNPACK_16B" : mn ~ /pack/ ? "_PACK_16B" : "") "("
        if (t[5] != "16x32bx2") return name t[5] ", " t[6] (t[2] == "ld" ? ", r, d)" : ", d, c)")
        return name t[6] (t[2] == "ld" ? ", r, d, 16)" : ", d, 16, c)")
    }
    kind = mn
    sub(/^.*\.kind::/, "", kind)
    name = "TC_TCGEN05_MMA" (mn ~ /\.ws\./ ? "_WS" : "") (mn ~ /\.sp\./ ? "_SP" : mn ~ /lut::b/ ? "_LUT" : "") "_" \
        substr(note, 1, 2)
    args = g ", " kind ", d, " (note ~ /^TS/ ? "at" : "a") ", b" (mn ~ /\.sp\.|lut::b/ ? ", meta" : "") ", idesc"
    value = ops ~ /pred/ ? "enable" : substr(ops, length(ops))
    if (mn ~ /block_scale/) { name = name "_BLOCK"; args = args ", sfa, sfb" }
    if (ops ~ /in\{/) { name = name "_LANES"; args = args ", c" }
    if (ops ~ /pred, imm/) { name = name "_SCALE"; sub(/^.*pred, imm /, "", ops); value = value ", " ops }
    if (note ~ /zero-mask/) { name = name "_ZERO"; value = value ", z" }
    return name "(" args ", " value ")"
}

# A kernel must not mix the cta_groups: each has kernels of its own, of 64 calls. What has no cta_group goes to the
# first.
function one(mn, ops, note,    g) {
    number++
    if (mode == "check") { want[number] = wanted(mn, ops, note); return }
    g = mn ~ /cta_group::2/ ? 2 : 1
    if (calls[g]++ % 64 == 0) {
        text[g] = text[g] (calls[g] > 1 ? "}\n" : "") "__global__ void k" g "_" calls[g] "(" parameters \
            ")\n{\n    uint32_t r[128], q[128], c[128], u; int32_t i; float f;\n" \
                  "#pragma unroll\n    for (int j = 0; j < 128; j++) c[j] = 1000 + j;\n"
    }
    text[g] = text[g] "    asm volatile(\"// V" number "\"); " call(mn, ops, note, g) ";\n"
}

BEGIN {
    FS = "\t"
    names = "d at meta idesc sfa sfb enable n s h p a b z"
    parameters = "uint32_t d, uint32_t at, uint32_t meta, uint32_t idesc, uint32_t sfa, uint32_t sfb, " \
                 "uint32_t enable, uint32_t n, uint32_t s, uint16_t h, void *p, uint64_t a, uint64_t b, uint64_t z"
    parameter_count = split(names, parameter, " ")
}

!/^#/ && $2 ~ /^(tcgen05|sp(de)?compress)/ && belongs($3, arch) && due($9) {
    before = total
    late = $9
    expand($5, $6, $8, $7)
    if (total - before != $4) print "FAIL " $1 ": " total - before " variants, not " $4 > "/dev/stderr"
}

END {
    if (mode == "cu") {
        print "#include \"tc_tcgen05.h\"\n#include \"tc_spcompress.h\""
        for (g = 1; g <= 2; g++) if (text[g]) print text[g] "}"
        exit
    }
    at = 0
    while ((getline line < ptx) > 0) {
        if (line ~ /\.entry/) { split("", holds); continue }
        if (match(line, /\/\/ V[0-9]+$/)) { at = substr(line, RSTART + 4) + 0; continue }
        gsub(/^[ \t]+|[ \t]+$/, "", line)
        split(line, word, /[ \t,;]+/)
        if (word[1] ~ /^ld\.param/) {
            match(word[3], /_[0-9]+\]/)
            holds[word[2]] = parameter[substr(word[3], RSTART + 1) + 1]
            continue
        }
        if (word[1] ~ /^(mov|cvt)\./) { holds[word[2]] = word[3] in holds ? holds[word[3]] : word[3]; continue }
        if (word[1] ~ /^setp\.ne/ && word[2] == "p" && word[4] == "0") {
            holds["p"] = word[3] in holds ? holds[word[3]] : word[3]
            continue
        }
        if (!at || line !~ /^(tcgen05|sp(de)?compress)/) continue
        rest = line; got = ""
        while (match(rest, /%[a-z]+[0-9]+/)) {
            reg = substr(rest, RSTART, RLENGTH)
            got = got substr(rest, 1, RSTART - 1) (reg in holds ? holds[reg] : "R")
            rest = substr(rest, RSTART + RLENGTH)
        }
        got = got rest
        gsub(/[ \t]/, "", got)
        sub(/,p;$/, ",p=" holds["p"] ";", got); sub(/,p,/, ",p=" holds["p"] ",", got)
        if (got == want[at]) {
            good++
            found[at] = 1
        } else if (wrong++ < 10) print "FAIL sm_" arch ": " got " where the table has " want[at]
        at = 0
    }
    for (i = 1; i <= number; i++) if (!found[i] && ++bad < 10) print "FAIL sm_" arch ": no " want[i]
    print good + 0 " passed, " bad + 0 " failed"
    exit bad > 0
}
