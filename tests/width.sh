#!/bin/sh
# width.sh - no line of the repository's own code is longer than 120 columns, no header of PTX calls has more than 1,200
# lines, no part of a generator more than 900. Needs nothing but awk.
# usage: tests/width.sh [FILES, default all that git knows], from the repository's root.
# Ends with "N passed, N failed" (files).
#
# Rows of tables may be longer, since they are read down their columns: behind a comment that says "one row a line", up
# to the next empty line or the bracket that closes the table; and Markdown's, which begin with a bar. 240 columns for
# those.
if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046
    set -- $(git ls-files -co --exclude-standard '*.h' '*.c' '*.cu' '*.cpp' '*.sh' '*.awk' '*.py' 2> /dev/null)
fi
[ $# -gt 0 ] || { echo "0 passed, 0 failed, 1 skipped (no list of files: this is no git checkout)"; exit 0; }
LC_ALL=C awk '
    function columns(s) { gsub(/[\200-\277]/, "", s); return length(s) } # a character of UTF-8 is one column
    function bad(text) { if (!wrong[FILENAME]++) failed++; print "FAIL " FILENAME text }
    function whole(    most) { # the file before
        most = file !~ /^tc_[a-z0-9_]+\.h$/ ? 0 : file ~ ptx ? 1200 : 900
        if (most && lines > most) {
            if (!wrong[file]++) failed++
            print "FAIL " file " has " lines " lines, more than " most
        }
    }
    BEGIN { ptx = "^tc_(core|chip|types|swizzle|memory|mbarrier|tma|mma|sparse|wmma|wgmma|tcgen05|" \
        "tcgen05_desc|tma_more|multimem|fabric|spcompress)\\.h$" }
    FNR == 1 { whole(); file = FILENAME; files++; table = 0 }
    { lines = FNR }
    /^ *$/ || /^ *[]})]/ { table = 0 }
    columns($0) > (table || /^\|/ ? 240 : 120) { bad(":" FNR " has " columns($0) " columns") }
    /(\/\*|\/\/|#).*one row a line/ { table = 1 }
    END { whole(); print files - failed " passed, " failed + 0 " failed"; exit failed > 0 }' "$@"
