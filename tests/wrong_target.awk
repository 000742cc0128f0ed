# wrong_target.awk - a PTX module of instructions of tests/isa/variants.tsv for one target: those that the table gives
# to it, or those that it gives to others alone. (tests/wrong_target.sh has ptxas take the one whole and refuse each of
# the other.)
#     awk -v arch=100a -v ptx=9.5 -v wrong=1 -v sample=7 -f tests/wrong_target.awk tests/isa/variants.tsv
# Rows with a ninth column, every sample-th variant. Instructions stand one a line from a line "// first" on, in kernels
# of 400: of one with thousands ptxas makes an internal error, or nothing in an hour.

function belongs(list, arch,    n) {
    if (list ~ /\+$/) { n = list; gsub(/[^0-9]/, "", n); return arch + 0 >= n + 0 }
    return index("," list ",", "," arch ",") > 0
}

function expand(mn, ops, sweep,    i, j, k, n, parts, name, s) {
    i = index(mn, "{")
    if (i) {
        j = index(mn, "}")
        n = split(substr(mn, i + 1, j - i - 1), parts, ",")
        for (k = 1; k <= n; k++) expand(substr(mn, 1, i - 1) parts[k] substr(mn, j + 1), ops, sweep)
        return
    }
    if (sweep != "-") {
        split(sweep, parts, " ")
        name = substr(parts[1], 1, index(parts[1], "=") - 1)
        s = substr(parts[1], length(name) + 2)
        sub(/^[^ ]* ?/, "", sweep)
        if (sweep == "") sweep = "-"
        n = split(s, parts, ",")
        for (k = 1; k <= n; k++) {
            s = ops
            while (i = index(s, "$" name)) s = substr(s, 1, i - 1) parts[k] substr(s, i + 1 + length(name))
            expand(mn, s, sweep)
        }
        return
    }
    if (count++ % sample != 0) return
    if (lines && lines % 400 == 0) {
        print "ret;\n}"
        kernel(lines / 400)
    }
    lines++
    one(mn, ops)
}

# fresh registers of a type: r of 32 bits, l 64, h 16, b 8, f, d, q 128
function reg(type) {
    type = type ~ /128/ ? "q" : type ~ /f64/ ? "d" : type ~ /f32/ ? "f" : type ~ /64/ ? "l" : type ~ /16/ ? "h" : \
        type ~ /b8/ ? "b" : "r"
    return "%" type used[type]++ % (type == "r" ? 250 : 20)
}
function many(n, type,    s) { s = reg(type); while (--n > 0) s = s "," reg(type); return "{" s "}" }

function one(mn, ops,    p, n, i, x, out, k, a) {
    if (ops == "-") { print mn ";"; return }
    sub(/\[b64\|b32\]/, mn ~ /\.shared/ ? "[b32]" : "[b64]", ops)
    split("", used)
    n = split(ops, p, ", ")
    for (i = 1; i <= n; i++) {
        x = p[i]
        # no result of another: 13.5's ptxas makes an internal error of a size that cvt.pzo.tf32 has made
        if (x == "in b32") x = "%i" used["i"]++
        sub(/^(out|in) /, "", x)
        if (x ~ /^(out|in)\{/) { k = x; sub(/^[a-z]*\{/, "", k); a = k; sub(/^[0-9]*x/, "", a); x = many(k + 0, a) }
        else if (x ~ /pred\|pred/) x = "%p0|%p1"
        else if (x ~ /pred/) x = "%p0"
        else if (x ~ /^imm /) sub(/^imm /, "", x)
        else if (x ~ /^\[/) {
            sub(/tmap /, "", x)
            while (match(x, /\{[0-9]x[bs](16|32)\}/))
                x = substr(x, 1, RSTART - 1) many(substr(x, RSTART + 1, 1), substr(x, RSTART + 3, 3)) \
                    substr(x, RSTART + RLENGTH)
            while (match(x, /(^|[[,{])b(16|32|64)/)) {
                k = substr(x, RSTART, 1); a = substr(x, RSTART, RLENGTH)
                x = substr(x, 1, RSTART - 1) (k == "b" ? "" : k) reg(a) substr(x, RSTART + RLENGTH)
            }
        }
        else if (x != "_" && x !~ /^%i/) x = reg(x)
        out = out (i > 1 ? ", " : "") x
    }
    print mn " " out ";"
}

function kernel(n) {
    printf ".visible .entry k%d()\n%s{\n.reg .b32 %%r<256>, %%i<24>; .reg .b64 %%l<24>; " \
        ".reg .f32 %%f<24>; .reg .f64 %%d<24>; .reg .b16 %%h<24>;\n.reg .b8 %%b<24>; .reg .pred %%p<2>; " \
        ".reg .b128 %%q<24>;\n", n, (arch + 0 >= 80 && !wrong ? ".minperctamemory 64\n" : "")
    print "// first"
}

BEGIN {
    FS = "\t"
    printf ".version %s\n.target sm_%s\n.address_size 64\n", ptx, arch
    kernel(0)
}
!/^#/ && NF > 8 && $9 + 0 <= ptx + 0 && belongs($3, arch) != (wrong + 0) {
    # what ptxas takes where the documents do not have it; and what two cta_groups in a kernel would spoil
    if (wrong && $7 ~ /NC=544/) next
    if (!wrong && $5 ~ /^tcgen05/) gsub(/cta_group::\{1,2\}/, "cta_group::1", $5)
    if (!wrong && $5 ~ /cta_group::2/) next
    expand($5, $6, $7)
}
END { print "ret;\n}" }
