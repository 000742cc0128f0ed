#!/bin/sh
# install.sh - what make install, make install-headers and make uninstall do.
#     tools/install.sh install PREFIX BUILD_DIR    headers, tcemu, tc_tune, licence, manuals, CMake package, tc.pc
#     tools/install.sh install PREFIX              the same without the programs
#     tools/install.sh uninstall PREFIX            exactly what was installed: PREFIX/share/tc/installed is the list
# DESTDIR, from the environment, stands before PREFIX and is written nowhere. What is installed finds its parts from
# where it lies itself, so PREFIX may be moved as a whole. An installation first removes the one before it: no header
# of an older version stays behind.
what=$1 prefix=$2 build=$3
case $prefix in /*) ;; *) echo "PREFIX=$prefix must be an absolute path"; exit 1 ;; esac
case $DESTDIR in "" | /*) ;; *) echo "DESTDIR=$DESTDIR must be an absolute path"; exit 1 ;; esac
root=$(cd "$(dirname "$0")/.." && pwd)
to=$DESTDIR${prefix%/}
list=$to/share/tc/installed

uninstall() {
    [ -f "$list" ] || return 1
    while IFS= read -r file; do
        case /$file/ in */../* | */./* | *//*) continue ;; esac
        rm -f "$to/$file"
        # the directories that are tc's own, from the innermost outwards; rmdir leaves those that hold something else
        dir=${file%/*}
        while :; do
            case $dir in
            share/tc | share/doc/tc | share/doc/tc/* | share/cmake/tc | lib/tcemu) ;;
            *) break ;;
            esac
            rmdir "$to/$dir" 2> /dev/null || break
            dir=${dir%/*}
        done
    done < "$list"
    rm -f "$list"
    rmdir "$to/share/tc" 2> /dev/null
    return 0
}

put() { # put MODE SOURCE DIRECTORY [NAME]
    name=${4:-${2##*/}}
    if ! mkdir -p "$to/$3" || ! cp "$2" "$to/$3/$name" || ! chmod "$1" "$to/$3/$name"; then
        echo "cannot write $to/$3/$name"
        exit 1
    fi
    echo "$3/$name" >> "$list"
}

version() { # the three numbers in tc_core.h
    sed -n 's/^#define TC_VERSION_\(MAJOR\|MINOR\|PATCH\) *\([0-9]*\).*/\2/p' "$root/tc_core.h" | paste -s -d .
}

case $what in
uninstall)
    uninstall && exit 0
    echo "there is no tc in $to: no file share/tc/installed"
    exit 1 ;;
install) ;;
*) sed -n 's/^# \{0,1\}//; 2,7p' "$0"; exit 2 ;;
esac

if [ -n "$build" ]; then
    for file in "$build/tcemu" "$build/libtcemu.so" "$build/tc_tune"; do
        [ -f "$file" ] || { echo "$file is not built: make emu $build/tc_tune"; exit 1; }
    done
fi
uninstall
mkdir -p "$to/share/tc" && : > "$list" || exit 1
for file in "$root"/tc*.h; do put 644 "$file" include; done
put 644 "$root/cmake/tcConfig.cmake" share/cmake/tc
put 644 "$root/cmake/tcEmulated.cmake" share/cmake/tc
for template in cmake/tcConfigVersion.cmake:share/cmake/tc tc.pc:share/pkgconfig; do
    source=${template%:*} dir=${template#*:}
    filled=$to/share/tc/filled
    sed "s/@TC_VERSION@/$(version)/g" "$root/$source.in" > "$filled" && put 644 "$filled" "$dir" "${source##*/}"
    rm -f "$filled"
done
for file in LICENSE README.md CHANGELOG.md; do put 644 "$root/$file" share/doc/tc; done
for file in "$root"/docs/*.md; do put 644 "$file" share/doc/tc/docs; done
for file in "$root"/docs/layouts/*.md "$root"/docs/layouts/*.svg; do put 644 "$file" share/doc/tc/docs/layouts; done
if [ -n "$build" ]; then
    put 755 "$build/tcemu" bin
    put 755 "$build/tc_tune" bin
    put 755 "$build/libtcemu.so" lib/tcemu
    # the names that programs load the driver by, which in the build directory are links as well
    for link in "$build"/emu/lib*.so*; do
        name=${link##*/}
        if [ -L "$link" ]; then
            ln -sf libtcemu.so "$to/lib/tcemu/$name" && echo "lib/tcemu/$name" >> "$list"
        else
            put 755 "$link" lib/tcemu
        fi
    done
fi
echo "tc $(version) is in $to: $(wc -l < "$list") files; $list names them"
