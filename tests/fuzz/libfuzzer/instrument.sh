#!/bin/sh
# Cargo's rustc wrapper here: gives the crates that read input coverage as
# libFuzzer follows it, which the stable compiler can do. Other crates would
# only add noise and minutes of compiling; so would lopdf, whose table of glyph
# names is one match of thousands of arms. Cargo does not see a change here:
# remove target/fuzz after one.
rustc=$1
shift
instrumented=no
case " $* " in
*" --target "*)
    case " $* " in
    *" --crate-name parafa_"* | *" --crate-name der "* | \
        *" --crate-name x509_"* | *" --crate-name cms "* | *" --crate-name spki "* | \
        *" fuzz_targets/"*) instrumented=yes ;;
    esac
    ;;
esac
if [ "$instrumented" = no ]; then
    exec "$rustc" "$@"
fi
exec "$rustc" "$@" \
    -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Cllvm-args=-simplifycfg-branch-fold-threshold=0
