#!/usr/bin/env bash
# Fails when a source file is not formatted as .clang-format says; `--fix` formats them instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mapfile -t files < <(find apps benchmarks examples include models src tests -name '*.[ch]' -o -name '*.[ch]pp')
if [ "${1:-}" = "--fix" ]; then
  clang-format -i "${files[@]}"
else
  clang-format --dry-run -Werror "${files[@]}" || {
    echo "format: run scripts/check_format.sh --fix" >&2
    exit 1
  }
fi
