#!/bin/sh
# layout.sh - does tools/tc_layout say what is known? Expected lines are written by hand from the PTX ISA's figures.
# usage: tests/layout.sh [BUILD_DIR, default build], from the repository's root, after the tool was built. Ends with "N
# passed, N failed".
tool=${1:-build}/tc_layout
work=${1:-build}/layout
rm -rf "$work"
mkdir -p "$work" || exit 1
passed=0 failed=0

ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }

# says "ARGUMENTS" LINE...: the output has each of these lines; blanks at the ends and runs of them do not count
says() {
    arguments=$1
    shift
    # shellcheck disable=SC2086
    eval "\"$tool\" $arguments" > "$work/out" 2>&1 || {
        bad "$arguments: exits with $?: $(head -n 1 "$work/out")"
        return
    }
    sed 's/  */ /g; s/^ //; s/ $//' "$work/out" > "$work/lines"
    for line in "$@"; do
        if grep -qxF -- "$line" "$work/lines"; then ok; else bad "$arguments: no line \"$line\""; fi
    done
}

refuses() { # refuses "ARGUMENTS" TEXT...: exit 2, one sentence on stderr that has these texts
    arguments=$1
    shift
    eval "\"$tool\" $arguments" > "$work/out" 2> "$work/err"
    code=$?
    if [ $code -ne 2 ] || [ -s "$work/out" ] || [ "$(wc -l < "$work/err")" -ne 1 ]; then
        bad "$arguments: exit $code: $(head -n 2 "$work/err")"
        return
    fi
    for text in "$@"; do
        if grep -qF -- "$text" "$work/err"; then ok; else bad "$arguments: \"$text\" is not in: $(cat "$work/err")"; fi
    done
}

# fragments
says "mma m16n8k16 bf16 d --lane 5" "lane 5 d[0]: (1,2)" "lane 5 d[1]: (1,3)" "lane 5 d[2]: (9,2)" "lane 5 d[3]: (9,3)"
says "mma m16n8k16 b16 a --lane 5" "lane 5 a[0]: (1,2) (1,3)" "lane 5 a[1]: (9,2) (9,3)" "lane 5 a[2]: (1,10) (1,11)" \
    "lane 5 a[3]: (9,10) (9,11)"
says "mma m16n8k16 f16 b --lane 5" "lane 5 b[0]: (2,1) (3,1)" "lane 5 b[1]: (10,1) (11,1)"
says "mma m16n8k8 tf32 a --lane 31" "lane 31 a[0]: (7,3)" "lane 31 a[1]: (15,3)" "lane 31 a[2]: (7,7)" \
    "lane 31 a[3]: (15,7)"
says "mma m16n8k32 e4m3 a --lane 6" "lane 6 a[0]: (1,8) (1,9) (1,10) (1,11)" "lane 6 a[2]: (1,24) (1,25) (1,26) (1,27)"
says "mma m16n8k32 s8 b" "4..7 | 1:b[0] 5:b[0] 9:b[0] 13:b[0] 17:b[0] 21:b[0] 25:b[0] 29:b[0]"
says "mma m16n8k256 b1 a" "15 | 28:a[1] 29:a[1] 30:a[1] 31:a[1] | 28:a[3] 29:a[3] 30:a[3] 31:a[3]"
says "mma m8n8k4 f16 a --product 1" "0 4:0 4:1 4:2 4:3" "7 23:0 23:1 23:2 23:3"
says "mma m8n8k4 f16 d --type f32 --lane 3" "lane 3 d[0]: (1,2)" "lane 3 d[2]: (3,2)" "lane 3 d[5]: (1,7)"
says "mma-sp m16n8k16 bf16 meta --lane 4" "lane 4 bits 0-1: (1,0)" "lane 4 bits 30-31: (9,7)"
says "mma-sp m16n8k64 s8 a --lane 1" "lane 1 a[3]: (8,20) (8,21) (8,22) (8,23)"
says "mma m16n8k64 e2m1 a --lane 0 " "mma m16n8k64, A of class b4: M x K"
says "mma-sp m16n8k64 e2m1 a --lane 0" "mma.sp m16n8k64, A of class b8: M x K, the kept half of its columns"
says "ldmatrix m8n8 x4 --lane 5" "lane 5 r[0]: (1,2) (1,3)" "lane 5 r[3]: (25,2) (25,3)"
says "ldmatrix m8n8 x4 trans --lane 5" "lane 5 r[0]: (2,1) (3,1)"
says "ldmatrix m16n16 x1 trans --lane 5" "lane 5 r[0]: (4,1) (5,1) (6,1) (7,1)" "lane 5 r[1]: (4,9) (5,9) (6,9) (7,9)"
says "stmatrix m16n8 x1 trans --lane 5" "lane 5 r[0]: (2,1) (3,1) (2,9) (3,9)"
says "wgmma d 16 --lane 37" "lane 37 d[0]: (17,2)" "lane 37 d[2]: (25,2)" "lane 37 d[7]: (25,11)"
says "wgmma a 16 --lane 37" "lane 37 a[3]: (25,10) (25,11)"
says "wgmma meta 16 --selector 1 --lane 2" "lane 2 bits 0-3: row 0, k 0..3" "lane 2 bits 28-31: row 8, k 12..15"

# tensor memory
says "tcgen05-ld 16x256b x2 --lane 5" "lane 5 r[0]: (1,2)" "lane 5 r[3]: (9,3)" "lane 5 r[7]: (9,11)"
says "tcgen05-ld 32x32b x4" "31 31:0 31:1 31:2 31:3"
says "tcgen05-st 16x64b x1 --lane 3" "lane 3 r[0]: (8,1)"
says "tcgen05-ld 16x32bx2 x2 --split 8 --lane 17" "lane 17 r[0]: (1,8)" "lane 17 r[1]: (1,9)"
says "tcgen05-ld 32x32b x2 --pack --lane 7" "lane 7 r[1]: (7,2) (7,3)"
says "tmem-d 64 128" "32..47 m 16..31 n 0..127" "48..63 not used"
says "tmem-d 128 256" "112..127 m 112..127 n 0..255"
says "tmem-d 128 128 --cta-group 2" "64..79 m 0..15 n 64..127 m 64..79 n 64..127"
says "tmem-d 32 128 --ws" "96..111 m 0..15 n 96..127"
says "scale-factors tmem" \
    "31 | 31:0 31:1 31:2 31:3 | 63:0 63:1 63:2 63:3 | 95:0 95:1 95:2 95:3 | 127:0 127:1 127:2 127:3"
says "scale-factors memory" "+16 | 1:0 1:1 1:2 1:3 | 33:0 33:1 33:2 33:3 | 65:0 65:1 65:2 65:3 | 97:0 97:1 97:2 97:3"
says "scale-factors mma-a --scale-vec 2 --thread 1 --byte 2" "8 3.2 3.3"
says "tmem-meta f16 128" "0 | 0:0.0 0:0.4 0:0.8 0:0.12 8:0.0 8:0.4 8:0.8 8:0.12" \
    "8 | 0:0.16 0:0.20 0:0.24 0:0.28 8:0.16 8:0.20 8:0.24 8:0.28"

# shared memory
says "swizzle 128 --view tile" \
    "1 144 b4..7 128 b0..3 176 b12..15 160 b8..11 208 b20..23 192 b16..19 240 b28..31 224 b24..27"
says "swizzle 64 --view memory" "+128 2:8 2:0 2:24 2:16 3:8 3:0 3:24 3:16"
says "swizzle 32 --view memory" "+128 4:8 4:0 5:8 5:0 6:8 6:0 7:8 7:0"
says "canonical k none" "8 | 128 b0..3 | 384 b0..3"
says "canonical mn 128 --rows 64" \
    "1 | 144 b4..7 128 b0..3 176 b12..15 160 b8..11 208 b20..23 192 b16..19 240 b28..31 224 b24..27" \
    "8 | 1024 b0..3 1040 b4..7 1056 b8..11 1072 b12..15 1088 b16..19 1104 b20..23 1120 b24..27 1136 b28..31"
says "tma-box --dims 100,60 --box 64,8 --at 64,56 --swizzle 128" \
    "+128 (*,57) 72..79 b0..3 64..71 b4..7 88..95 b8..11 80..87 b12..15 fill b16..19 96..99+fill b20..23 fill b24..27 \
fill b28..31"
says "tma-box --dims 64,9 --box 16,4 --at 0,6 --steps 1,2 --type s8" "+0 (*,6) 0..15 b0..3" "+16 (*,8) 0..15 b4..7"
says "tma-im2col --dims 16,8,8,2 --channels 16 --pixels 4 --lower -1,-1 --upper -1,-1 --offsets 0,1 --at 0,5,-1,0 \
    --type s8" "+32 (*,-1,1,0) fill b8..11"

# conflicts
says "conflicts --pattern column" "no swizzle: 32 wavefronts for 4 parts of 8 lanes, 28 conflicts (8-way)"
says "conflicts --pattern column --swizzle 128" \
    "no swizzle: 32 wavefronts for 4 parts of 8 lanes, 28 conflicts (8-way)" \
    "128-byte swizzle: 4 wavefronts for 4 parts of 8 lanes, 0 conflicts (none)"
says "conflicts --pattern ldmatrix --swizzle 64" \
    "no swizzle: 16 wavefronts for 4 parts of 8 lanes, 12 conflicts (4-way)" \
    "64-byte swizzle: 4 wavefronts for 4 parts of 8 lanes, 0 conflicts (none)"
says "conflicts --pattern ldmatrix --swizzle 32 --count 2" \
    "32-byte swizzle: 2 wavefronts for 2 parts of 8 lanes, 0 conflicts (none)"
says "conflicts --pattern column --bytes 4" "no swizzle: 32 wavefronts for 1 part of 32 lanes, 31 conflicts (32-way)"
says "conflicts --pattern row --bytes 8" "no swizzle: 2 wavefronts for 2 parts of 16 lanes, 0 conflicts (none)"
says "conflicts --pattern 'lane * 0' --bytes 4" "no swizzle: 1 wavefront for 1 part of 32 lanes, 0 conflicts (none)"
says "conflicts --pattern 'lane%8, lane/8*16' --row-bytes 144" \
    "no swizzle: 4 wavefronts for 4 parts of 8 lanes, 0 conflicts (none)"
says "conflicts --pattern '1 + 2 * lane << 2 ^ 4' --bytes 4" \
    "no swizzle: 2 wavefronts for 1 part of 32 lanes, 1 conflict (2-way)"
says "conflicts --pattern 'lane < 16 ? lane * 4 : 128 + (lane & 15) * 4' --bytes 4" \
    "no swizzle: 2 wavefronts for 1 part of 32 lanes, 1 conflict (2-way)"

# what is not known
refuses "nothing" "nothing is no command" "mma-sp" "conflicts"
refuses "mma m16n8k12 bf16" "m16n8k12 bf16 is no shape and class" "m16n8k16 b16" "m16n8k256 b1"
refuses "mma m16n8k16" "a shape and a class are missing"
refuses "mma m16n8k16 bf16 c" "must be one of: a b d"
refuses "mma m16n8k16 bf16 a extra" "nothing is known of \"extra\""
refuses "mma m16n8k16 bf16 a --rows 3" "--rows is no option here" "--lane"
refuses "mma m16n8k16 bf16 a --lane 32" "--lane is 32" "0..31"
refuses "mma m16n8k16 bf16 a --lane" "--lane needs a value"
refuses "ldmatrix m16n16 x1" "with trans only"
refuses "tcgen05-ld 16x256b x64" "the most is 128: x32"
refuses "wgmma d 12" "multiple of 8 in 8..256"
refuses "tmem-d 32 128" "must be one of: 64 128"
refuses "tmem-d 128 40 --cta-group 2" "in steps of 16 with cta_group 2"
refuses "swizzle 48" "must be one of: none 0 32 64 96 128"
refuses "swizzle 128 --type bf17" "must be one of: f16 bf16"
refuses "tma-box --box 128,8 --swizzle 128" "256 bytes" "swizzle"
refuses "tma-box" "--box is missing"
refuses "tma-box --dims 64,64,2 --box 64,8" "--dims has 3 numbers"
refuses "conflicts --pattern 'lane*'" "an expression in C of lane"
refuses "conflicts --pattern 'lane*6'" "no multiple of 16"
refuses "conflicts --pattern '16/lane'" "divides by 0 in lane 0"
refuses "mma m16n8k16 bf16 --svg /nonexistent/a.svg" "cannot write /nonexistent/a.svg"

# every shape that the list names can be drawn, as text and as SVG
well_formed() { # well_formed FILE: xmllint's word for it where it is installed; else by its ends
    if command -v xmllint > /dev/null; then
        xmllint --noout "$1" 2> "$work/err"
    else
        [ "$(head -c 5 "$1")" = "<svg " ] && [ "$(tail -n 1 "$1")" = "</svg>" ]
    fi
}
every() { # every ARGUMENTS...: each element once, so no cell of the picture is empty
    # shellcheck disable=SC2068
    if "$tool" $@ > "$work/out" 2>&1 && ! grep -q ' \. ' "$work/out" && "$tool" $@ --svg "$work/a.svg" &&
        well_formed "$work/a.svg"; then
        ok
    else
        bad "$*: $(head -n 1 "$work/out")"
    fi
}
for name in $("$tool" list | sed -n '/^mma SHAPE/{n;s/ m8n8k4_b16 (.*//;p;}'); do
    every mma "${name%_*}" "${name#*_}"
    case $name in *_b8 | *_b4 | *_b1) every mma "${name%_*}" "${name#*_}" --elements ;; esac
done
for layout in row col; do for product in 0 3; do every mma m8n8k4 f16 --layout $layout --product $product; done; done
for name in $("$tool" list | sed -n '/^mma-sp SHAPE/{n;p;}'); do every mma-sp "${name%_*}" "${name#*_}"; done
for n in x1 x2 x4; do
    every ldmatrix m8n8 $n
    every ldmatrix m8n8 $n trans
    every ldmatrix m8n16 $n
    every stmatrix m8n8 $n
    every stmatrix m8n8 $n trans
    every stmatrix m16n8 $n trans
done
every ldmatrix m16n16 x2 trans
for bits in 16 32 8 1; do every wgmma a $bits; done
for bits in 16 32 8; do every wgmma meta $bits; done
every wgmma d 256
every wgmma d 24 --type f16
for shape in 32x32b 16x64b 16x128b 16x256b 16x32bx2; do
    every tcgen05-ld $shape x4
    every tcgen05-st $shape x32 --pack
done
for kind in f16 tf32 f8f6f4 i8 mxf8f6f4 mxf4 mxf4nvf4; do every tmem-meta $kind 128; done
every scale-factors tmem --rows 256 --factors 8
every scale-factors memory --rows 256 --factors 8
for mode in none 32 64 128 128_atom_32 128_atom_32_flip_8 128_atom_64; do every swizzle $mode --type e4m3; done
for mode in none 32 64 128; do every canonical k $mode --type tf32 && every canonical mn $mode; done
every canonical mn 128_atom_32 --type tf32

# an SVG in colours: each lane of A its own, none left over; --lane leaves one
colours() { grep -c '^<path class="c[0-9]*" d="M' "$work/a.svg"; }
"$tool" mma m16n8k16 b16 a --svg "$work/a.svg"
if [ "$(colours)" -eq 32 ]; then ok; else bad "A of m16n8k16 has $(colours) colours, not 32"; fi
"$tool" mma m16n8k16 b16 a --lane 5 --svg="$work/a.svg"
if [ "$(colours)" -eq 2 ]; then ok; else bad "A of m16n8k16 with --lane 5 has $(colours) colours, not one and white"; fi
"$tool" swizzle 128 --view tile --svg > "$work/a.svg"
if [ "$(colours)" -eq 8 ]; then ok; else bad "a swizzle has $(colours) colours, not 8 groups of banks"; fi

# docs/layouts holds what the tool draws
sh docs/layouts/draw.sh "$tool" "$work/svg" > "$work/out" 2>&1 || bad "draw.sh: $(head -n 1 "$work/out")"
for file in "$work"/svg/*.svg; do
    name=$(basename "$file")
    if well_formed "$file"; then ok; else bad "$name is not well-formed: $(head -n 1 "$work/err")"; fi
    if cmp -s "$file" "docs/layouts/$name"; then
        ok
    else
        bad "docs/layouts/$name is not what tc_layout draws now: make layouts"
    fi
    if grep -qF "($name)" docs/layouts/README.md; then ok; else bad "docs/layouts/README.md does not show $name"; fi
done
for file in docs/layouts/*.svg; do
    if [ -f "$work/svg/$(basename "$file")" ]; then ok; else bad "$file has no command in docs/layouts/README.md"; fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
