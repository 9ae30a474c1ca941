#!/usr/bin/env bash
# scripts/fuzz.sh [SECONDS]: builds the fuzzers of tests/fuzz with clang and runs each that long (60 s
# without a number). What they find is left in build/fuzz/findings; what is new to them in
# build/fuzz/corpus, from where the next run goes on. FUZZ_RUNS=N stops each after N executions.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/setup.sh"
seconds=${1:-60}
install_packages "$root/scripts/test_packages.txt" "$root/scripts/fuzz_packages.txt"
build_preset fuzz fuzzers

folder="$root/build/fuzz"
# Speed: systems are read from files; stacks of allocations are for those who look into a finding
# (run the fuzzer with its file alone); freed memory that is still watched stays in the cache of the
# processor; the bookkeeping of -entropic takes half of the time.
[ -d /dev/shm ] && export TMPDIR=/dev/shm
export ASAN_OPTIONS="malloc_context_size=1:quarantine_size_mb=1:thread_local_quarantine_size_kb=64${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
mkdir -p "$folder/findings"
failed=0
for seeds in "$root"/tests/fuzz/seeds/*; do
  name=$(basename "$seeds")
  mkdir -p "$folder/corpus/$name"
  log="$folder/$name.log"
  "$folder/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -runs="${FUZZ_RUNS:--1}" -entropic=0 -max_len=4096 \
    -timeout=20 -rss_limit_mb=2048 -artifact_prefix="$folder/findings/$name-" -print_final_stats=1 \
    "$folder/corpus/$name" "$seeds" >"$log" 2>&1 || failed=1
  echo "$name: $(grep -ao 'number_of_executed_units: [0-9]*' "$log" | grep -o '[0-9]*' || echo 0) executions," \
       "past the front door $(grep -ao 'past_the_front_door: .*' "$log" | cut -d ' ' -f 2- || echo unknown)," \
       "$(find "$folder/findings" -name "$name-*" | wc -l) findings"
done
exit $failed
