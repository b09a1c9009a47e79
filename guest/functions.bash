# What guest/run, guest/bench/run and .ci/riscv share. They source this in the folder of the repository.
gcc=riscv64-unknown-elf-gcc
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
work=$(mktemp -d)
verifier=
trap '[ -z "$verifier" ] || kill "$verifier" 2>/dev/null || true; rm -rf "$work"' EXIT
: >"$work/nothing"

# The compiler for C with its library, and the emulator to compare with. Root installs what is missing.
c_tools() {
    has_c_tools && return
    if [ "$(id -u)" = 0 ]; then
        { timeout 120 apt-get update && timeout 300 apt-get install -y --no-install-recommends gcc-riscv64-unknown-elf \
            picolibc-riscv64-unknown-elf qemu-user; } >/dev/null 2>&1 || true
    fi
    has_c_tools
}
has_c_tools() {
    command -v $gcc >/dev/null && command -v qemu-riscv32 >/dev/null && $gcc --specs=picolibc.specs -E -x c /dev/null >/dev/null 2>&1
}

# program [--release]: VOLERY is the program, built if it is not given.
program() {
    [ -z "${VOLERY:-}" ] || return 0
    cargo build --locked --quiet -p volery-cli "$@"
    VOLERY=$target/debug/volery
    [ "${1:-}" != --release ] || VOLERY=$target/release/volery
}

# c PROGRAM ARGUMENT...: compiles these sources, with these options of the compiler.
c() {
    $gcc --specs=picolibc.specs -march=rv32im -mabi=ilp32 -O2 -Wall -Wextra -Werror -ffunction-sections -nostartfiles -static \
        -Wl,--strip-debug -I guest/c -T guest/volery.ld guest/c/start.S guest/c/libc.c "${@:2}" -o "$1"
}

# ended PROGRAM PUBLIC SECRET: how it ends, and the journal, which both have to agree on. qemu says nothing of traps but a signal.
ended() {
    local code=0 other=0
    "$VOLERY" run --quiet "$1" --public "$2" --witness "$3" >"$work/ours" 2>"$work/said" || code=$?
    qemu-riscv32 "$1" <"$3" 3<"$2" >"$work/theirs" 2>/dev/null || other=$?
    case "$code $other $(cat "$work/said")" in
        "0 0 "*) ;;
        "1 139 "*"the program was ended at"*) ;;
        "1 $other "*"exited with code $other"*) ;;
        *) printf '%s: exit codes %d and %d of qemu-riscv32: %s\n' "$1" "$code" "$other" "$(cat "$work/said")" >&2; return 1 ;;
    esac
    cmp "$work/ours" "$work/theirs" >&2
    printf '%s %s\n' "$other" "$(od -An -v -tx1 "$work/ours" | tr -d ' \n')"
}

# figure FILE KEY: a number or a text in a file of JSON.
figure() { sed -n "s/.*\"$2\": *\"\{0,1\}\([^,\"}]*\).*/\1/p" "$1"; }

steps() {
    { "$VOLERY" run --json "$1" --public "$2" --witness "$3" 2>/dev/null || true; } >"$work/ran"
    figure "$work/ran" steps
}

# What each party runs under, such as `taskset -c 0`.
under_verifier=() under_prover=()

# proved PROGRAM SECRET OPTION...: proves a run between two processes, with these options of the statement. What they say is in
# $work/verifier and $work/prover.
proved() {
    local address='' code=0
    # Before the verifier runs: what an earlier one said must not be read as this one's.
    : >"$work/verifier.log"
    "${under_verifier[@]}" "$VOLERY" verify "$1" "${@:3}" --listen 127.0.0.1:0 --listen-timeout 600 \
        --json >"$work/verifier" 2>>"$work/verifier.log" &
    verifier=$!
    # It says where once it listens; it has a minute to read the program.
    for _ in {1..3000}; do
        address=$(sed -n 's/^listening at //p' "$work/verifier.log")
        [ -z "$address" ] && kill -0 "$verifier" 2>/dev/null || break
        sleep 0.02
    done
    "${under_prover[@]}" "$VOLERY" prove "$1" "${@:3}" --witness "$2" --connect "${address:-nowhere}" --json \
        >"$work/prover" 2>"$work/prover.log" || code=$?
    # A prover that fails before it connects leaves the verifier waiting.
    [ "$code" = 0 ] || kill "$verifier" 2>/dev/null || true
    wait "$verifier" || code=$?
    verifier=
    if [ "$code" != 0 ]; then
        printf '%s: not proved\n' "$1" >&2
        tail -n 5 "$work/prover.log" "$work/verifier.log" >&2
        return 1
    fi
}
