# isa_doc.awk - writes the tables of docs/isa.md (tools/isa_doc.sh calls it). Files, each announced by "@file" on its
# first line:
#     @versions   tools/isa_versions.tsv
#     @rows       what tests/cover_*.awk make of tests/isa/variants.tsv: the calls of a row, then "@@ROW id family
#     targets mnemonic operands"
#     @gates      the headers preprocessed for a target that has nothing: a gate is an attribute with its sentence
#     @bodies     the same for a target that has nearly all: the bodies have the PTX in them
#     @header X   the header X as it is: its macros, its host functions

# A row of the table in which a name was called; how often, the first time (another target has the same row again)
function key(name, row, times) {
    called[row] = 1
    if (!((name, row) in uses)) { uses[name, row] = times; list[name] = list[name] " " row }
}

# targets of the table as words
function label(t,    n, p, i, s) {
    if (t ~ /\+$/) { sub(/\+$/, "", t); return t }
    if (t ~ /90a/ && t ~ /100a/) return t ~ /120/ ? "sm_90a and Blackwell a/f" : "sm_90a, 100a/f, 103, 107, 110"
    if (t ~ /107f/ && t ~ /100f/ && t ~ /110a/ && t !~ /120/) return "sm_100a/f, 103, 107, 110"
    if (t ~ /100f/ && t ~ /120f/) return "sm_100a/f, 103, 110, 120, 121"
    if (t ~ /100f/ && t ~ /120a/) return "sm_100a/f, 103, 110, 120a, 121a"
    if (t ~ /100f/ && t ~ /110a/) return "sm_100a/f, 103, 110"
    if (t ~ /120f/) return "sm_120a/f, 121"
    if (t ~ /100f/) return "sm_100a/f, 103"
    n = split(t, p, ",")
    s = "sm_" p[1]
    for (i = 2; i <= n && i < 5; i++) s = s ", " p[i]
    return s (n > 4 ? ", .." : "")
}
function number_of(l) { sub(/^sm_/, "", l); return l + 0 + (l ~ /^[0-9]+[af]/ ? 0.5 : 0) }

function version_of(row, family) {
    if (row_since[row] != "") return row_since[row]
    if (row in version) return version[row]
    return version[family]
}
function low(v) { sub(/\.\..*/, "", v); return v + 0 }
function high(v) { sub(/^.*\.\./, "", v); return v + 0 }
function dotted(x) { return sprintf("%.1f", x) }
function span(a, b) { return a == 0 ? "" : a == b ? dotted(a) : dotted(a) " .. " dotted(b) }

function code(s) { gsub(/\|/, "\\|", s); return "`" s "`" }

# What is common to two mnemonics at the front, up to the end of a word
function front(a, b,    k, s) {
    k = 1
    while (k <= length(a) && substr(a, k, 1) == substr(b, k, 1)) k++
    s = substr(a, 1, k - 1)
    if (substr(a, k, 1) !~ /^[.{]?$/ || substr(b, k, 1) !~ /^[.{]?$/) sub(/[.{][^.{]*$/, "", s)
    while (gsub(/\{/, "{", s) > gsub(/\}/, "}", s)) sub(/\.?\{[^{]*$/, "", s)
    return s
}

# The cells PTX, from, PTX ISA and operands of a name that stands for rows of the table
function cells(name,    rows, n, i, r, mn, ops, common, forms, labels, nl, l, a, b, lo, hi, seen_mn, seen_ops, seen_l,
               nm, no, first, s, target) {
    n = split(list[name], rows, " ")
    for (i = 1; i <= n; i++) {
        r = rows[i]
        forms += uses[name, r]
        mn = row_mn[r]; ops = row_ops[r]
        if (!(mn in seen_mn)) {
            seen_mn[mn] = 1
            if (++nm <= 2) target = target (nm > 1 ? "<br>" : "") code(mn)
            common = nm == 1 ? mn : front(common, mn)
        }
        if (!(ops in seen_ops)) {
            seen_ops[ops] = 1
            if (++no <= 2) s = s (no > 1 ? "<br>" : "") (ops == "-" ? "none" : code(ops))
        }
        l = label(row_targets[r])
        if (!(l in seen_l)) { seen_l[l] = 1; labels[++nl] = l }
        a = low(version_of(r, row_family[r])); b = high(version_of(r, row_family[r]))
        if (a && (!lo || a < lo)) lo = a
        if (b > hi) hi = b
    }
    if (nm > 2 || length(target) > 150) target = code(common "...")
    if (forms > 1) target = target " (" forms " forms)"
    if (no > 2) s = "by form, " no " kinds"
    for (i = 2; i <= nl; i++) {
        l = labels[i]
        for (r = i - 1; r >= 1 && number_of(labels[r]) > number_of(l); r--) labels[r + 1] = labels[r]
        labels[r + 1] = l
    }
    first = labels[1]
    for (i = 2; i <= nl && i <= 3; i++) first = first "; " labels[i]
    if (nl > 3) first = first "; ..; " labels[nl]
    return target " | " first " | " span(lo, hi) " | " s
}

# From the preprocessed text: one function, its name, its signature, its gate, the instructions of its asm
function take(chunk, pass,    name, sig, s, i, gate, ptx, n, p, k, w, words, depth, c) {
    gate = ""
    if (chunk ~ /^\[\[deprecated/) {
        gate = chunk
        sub(/^[^:]*: " *"needs /, "", gate)
        sub(/[":].*$/, "", gate)
        sub(/ or later/, "", gate)
        sub(/sm_100a, sm_103a, sm_107a, sm_110a or the f target of one/, "sm_100a/f, 103, 110", gate)
    }
    else if (chunk ~ /__host__/) gate = "host, any"
    else gate = "any"
    gsub(/  +/, " ", chunk) # a signature may take several lines
    s = chunk
    sub(/^.*__attribute__\(\(unused\)\) /, "", s)
    if (!match(chunk, /tc_[A-Za-z0-9_]+\(/)) return
    name = substr(chunk, RSTART, RLENGTH - 1)
    if (name ~ /^tc__/) return
    sig = substr(chunk, RSTART)
    depth = 0
    for (i = 1; i <= length(sig); i++) {
        c = substr(sig, i, 1)
        if (c == "(") depth++
        if (c == ")" && --depth == 0) break
    }
    s = substr(sig, i + 1)
    sig = substr(sig, 1, i)
    k = substr(chunk, 1, RSTART - 1)
    if (match(chunk, /unused\)\) /)) {
        k = substr(chunk, RSTART + RLENGTH)
        sub(/tc_[A-Za-z0-9_]+\(.*$/, "", k)
        sub(/^constexpr */, "", k)
    }
    sub(/ +$/, " ", k)
    if (s ~ /^ *;/) return
    if (pass == "gates") {
        if (!(name in gate_of)) {
            gate_of[name] = gate
            header_of[name] = file
            order[++functions] = name
            signature[name] = k sig
        }
        return
    }
    gsub(/" *"/, "", s)
    while (match(s, /asm( volatile)? *\( *"[^"]*"/)) {
        w = substr(s, RSTART, RLENGTH); s = substr(s, RSTART + RLENGTH)
        sub(/^[^"]*"/, "", w); sub(/"$/, "", w)
        gsub(/\\n|\\t/, " ", w); gsub(/[{}]/, " ", w)
        n = split(w, p, ";")
        for (i = 1; i <= n; i++) {
            w = p[i]; gsub(/^ +/, "", w); sub(/^@!?[a-z%0-9]+ +/, "", w)
            split(w, words, /[ ]/)
            if (words[1] !~ /^[a-z]/ || words[1] ~ /^(setp|selp|bra|or\.|and\.|mov\.b)/ || words[1] ~ /:$/ ||
                words[1] ~ /^cvt\.u[0-9]+\.u/)
                continue
            if (words[1] ~ /^mov/) {
                sub(/^[^%]*%[0-9], */, "", w)
                sub(/^[a-z.]+ [a-z], */, "", w)
                gsub(/%%/, "%", w)
                words[1] = words[1] " " w
                if (w !~ /%[a-z]/) continue
            }
            if (index(ptx "", words[1] "\n") == 0) ptx = ptx words[1] "\n"
        }
    }
    if (ptx != "" && ptx_of[name] == "") ptx_of[name] = ptx
}

# which row a mnemonic belongs to
function remember(mn, row,    i, j, k, n, parts, body) {
    i = index(mn, "{")
    if (!i) { if (!(mn in mn_row)) mn_row[mn] = row; return }
    j = index(mn, "}")
    body = substr(mn, i + 1, j - i - 1)
    n = split(body, parts, ",")
    if (body ~ /\.\.[0-9]+:/) return
    for (k = 1; k <= n; k++) remember(substr(mn, 1, i - 1) parts[k] substr(mn, j + 1), row)
}

/^@file / { section = $2; file = $3; next }

section == "versions" {
    if ($0 ~ /^#/) next
    split($0, w, "\t")
    if (w[1] ~ /-[0-9]+\.\.[0-9]+$/) {
        base = w[1]; sub(/-[0-9]+\.\..*$/, "", base)
        from = w[1]; sub(/\.\.[0-9]+$/, "", from); sub(/^.*-/, "", from)
        to = w[1]; sub(/^.*\.\./, "", to)
        for (i = from + 0; i <= to + 0; i++) version[sprintf("%s-%04d", base, i)] = w[2]
    } else version[w[1]] = w[2]
    next
}

section == "rows" {
    if ($0 !~ /^@@ROW/) {
        s = $0
        while (match(s, /(TC_[A-Z0-9_]+|tc_[a-zA-Z0-9_]+)\(/)) {
            call = substr(s, RSTART, RLENGTH - 1)
            pending[call]++
            s = substr(s, RSTART + RLENGTH)
        }
        next
    }
    split($0, w, "\t")
    row_family[w[2]] = w[3]; row_targets[w[2]] = w[4]; row_mn[w[2]] = w[5]; row_ops[w[2]] = w[6]
    row_since[w[2]] = w[8]
    if (!(w[2] in known)) { known[w[2]] = 1; rows_known++; forms_known += w[7]; remember(w[5], w[2]) }
    for (call in pending) key(call, w[2], pending[call])
    split("", pending)
    next
}

section == "gates" || section == "bodies" {
    if ($0 ~ /^# [0-9]+ "/) {
        if (chunk != "") take(chunk, section)
        chunk = ""
        file = $3
        gsub(/"/, "", file)
        sub(/^.*\//, "", file)
        next
    }
    if (file !~ /^tc_/ || file ~ /^tc_(gemm|attn|kernel)\.h$/) next
    line = $0
    gsub(/\[\[deprecated/, "\n&", line)
    gsub(/[};] static __(device|host)/, "\n&", line); gsub(/\n[};] /, "\n", line)
    n = split(line, part, "\n")
    for (i = 1; i <= n; i++) {
        if (part[i] ~ /^(\[\[deprecated|static __(host|device))/) {
            if (chunk != "") take(chunk, section)
            chunk = part[i]
        }
        else if (chunk != "") chunk = chunk " " part[i]
    }
    next
}

section == "header" {
    if (chunk != "") { take(chunk, "bodies"); chunk = "" }
    line = $0
    if (line ~ /^#define TC_[A-Z0-9_]+\(/ && line !~ /^#define TC__/ && line !~ /^#define TC_[A-Z0-9_]+\(X\)/) {
        sub(/^#define /, "", line)
        match(line, /\)/); line = substr(line, 1, RSTART)
        name = line; sub(/\(.*/, "", name)
        if (name !~ /^TC_(ALIGN|CONSTEXPR|HAS)/ && !(name in header_of)) {
            header_of[name] = file
            order[++functions] = name
            signature[name] = line
            gate_of[name] = "macro"
        }
    }
    if (line ~ /^TC_HOST .*tc_[a-z0-9_]+\(/ && line !~ /tc__/) {
        match(line, /tc_[a-z0-9_]+\(/)
        name = substr(line, RSTART, RLENGTH - 1)
        if (!(name in header_of)) {
            header_of[name] = file
            order[++functions] = name
            signature[name] = line
            gate_of[name] = "host"
        }
    }
    next
}

END {
    m = split("tc_mma.h tc_sparse.h tc_wmma.h tc_wgmma.h tc_tcgen05.h tc_tcgen05_desc.h tc_tma.h tc_mbarrier.h " \
              "tc_memory.h tc_types.h tc_swizzle.h tc_core.h tc_tma_more.h tc_multimem.h tc_fabric.h tc_spcompress.h",
              headers, " ")
    print "## Calls by header\n"
    print "PTX: the instruction, `{a,b}` its alternatives; ... where a call stands for many, with the number of forms."
    print "From: the first target, and others where forms differ. PTX ISA: the version from which ptxas takes it there."
    print "Operands: as in PTX, `out{4xb32}` being a list of four registers; those of a function are its parameters.\n"
    for (h = 1; h <= m; h++) {
        plain = ""; count = 0
        print "### " headers[h] "\n"
        head = "| call | PTX | from | PTX ISA | operands |\n|---|---|---|---|---|"
        for (i = 1; i <= functions; i++) {
            name = order[i]
            if (header_of[name] != headers[h]) continue
            group = name
            if (name ~ /^tc_wgmma_m64n[0-9]+k/) {
                sub(/m64n[0-9]+k/, "m64n{8..256}k", group)
                if (group in shown) continue
                shown[group] = 1
            }
            call = signature[name]
            if (group != name) {
                gsub(/m64n[0-9]+k/, "m64n{8..256}k", call)
                if (ptx_of[name] == "") ptx_of[name] = "wgmma.mma_async.sync.aligned"
            }
            if (list[name] != "" && gate_of[name] == "macro") row = code(call) " | " cells(name)
            else if (ptx_of[name] != "") {
                n = split(ptx_of[name], words, "\n") - 1
                target = ""; v = 0; r = ""
                for (k = 1; k <= n; k++) {
                    if (k <= 3) target = target (k > 1 ? "<br>" : "") code(words[k])
                    if (words[k] in mn_row) {
                        r = mn_row[words[k]]
                        x = low(version_of(r, row_family[r]))
                        if (x > v) v = x
                    }
                }
                if (!v && list[name] != "") {
                    split(list[name], words, " ")
                    v = low(version_of(words[1], row_family[words[1]]))
                }
                if (!v && target ~ /%n?cluster/) v = 7.8
                if (group != name) v = 8.0
                g = gate_of[name]
                if (g == "host, any" && r != "") g = g "; PTX from " label(row_targets[r])
                if (n > 3) target = target "<br>..."
                row = code(call) " | " target " | " g " | " (v ? dotted(v) : "") " | |"
            } else {
                if (sub(/_(row|col)$/, "_{row,col}", group) && group in shown) continue
                shown[group] = 1
                plain = plain (count++ ? ", " : "") code(gate_of[name] == "macro" ? call : group)
                continue
            }
            if (head) { print head; head = "" }
            print "| " row (row ~ /\|$/ ? "" : " |")
        }
        if (!head) print ""
        if (count)
            print "Without an instruction of their own (" \
                (headers[h] ~ /swizzle|sparse|core|types|desc|spcompress/ ? "pure functions, host functions" \
                 : "coordinates, descriptors, combinations of the above, host functions") "): " plain ".\n"
    }
    for (r in row_mn) if (!(r in called)) print "No call for " r "."
    print "The table has " rows_known " lines for " forms_known \
        " forms; each stands behind a call above, which `tests/cover_*.sh` check."
}
