#!/usr/bin/env python3
"""Runs every example of this tree and of OTHER, a checkout of Tandem that has been built as well, and
compares exit codes and results bit for bit. Files that only one of the trees has are left out.
Each runs with the coupling of its file; with --couplings with every coupling in turn as well.
Exit code 1 if anything differs."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUPLINGS = ["aggregate", "auto", "gauss_seidel", "iterative", "jacobi", "linear_implicit", "lti", "nepce",
             "pre_step", "predictor"]


def systems(tree):
    files = list((tree / "examples").glob("*/system*.toml")) + list((tree / "examples").glob("*/system*.ssp"))
    return {str(file.relative_to(tree)) for file in files}


def run(tree, preset, system, coupling, folder):
    """The exit code and the bytes of the results, or None if there are none."""
    output = pathlib.Path(folder) / "results.csv"
    output.unlink(missing_ok=True)
    command = [tree / "build" / preset / "apps/cli/tandem", "run", tree / system, "--record", "*", "--output", output,
               "--quiet", "--threads", "1"]
    if coupling:
        command += ["--coupling", coupling]
    code = subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode
    return code, output.read_bytes() if output.exists() else None


def difference(a, b):
    """Where the results of a and b differ, as text; empty if they do not."""
    if a == b:
        return ""
    if a[0] != b[0]:
        return f"exit code {a[0]} here, {b[0]} there"
    if a[1] is None or b[1] is None:
        return "results only " + ("there" if a[1] is None else "here")
    here, there = a[1].splitlines(), b[1].splitlines()
    if len(here) != len(there):
        return f"{len(here)} lines here, {len(there)} there"
    line = next(i for i, (x, y) in enumerate(zip(here, there)) if x != y)
    return f"first in line {line + 1} of {len(here)}, {largest_difference(here, there)}"


def largest_difference(here, there):
    """Of the columns that hold numbers, by the range of the column."""
    columns = [list(zip(*(row.split(b",") for row in rows))) for rows in (here, there)]
    largest, name = 0.0, "no number"
    for a, b in zip(*columns):
        try:
            x, y = ([float(cell) for cell in column[1:]] for column in (a, b))
        except ValueError:
            continue
        size = max(y) - min(y) or max(map(abs, y)) or 1.0
        found = max(abs(p - q) for p, q in zip(x, y)) / size
        if not found <= largest:
            largest, name = found, a[0].decode()
    return f"at most {largest:.1e} of the range ({name})"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=pathlib.Path, help="a built checkout to compare with")
    parser.add_argument("--preset", default="release", help="the build of both trees (release)")
    parser.add_argument("--couplings", action="store_true", help="every coupling, not only that of the file")
    parser.add_argument("--only", default="", help="examples whose path contains this")
    arguments = parser.parse_args()
    other = arguments.other.resolve()
    couplings = [None] + (COUPLINGS if arguments.couplings else [])
    compared = different = 0
    with tempfile.TemporaryDirectory() as folder:
        for system in sorted(systems(ROOT) & systems(other)):
            if arguments.only not in system:
                continue
            for coupling in couplings:
                found = difference(*(run(tree, arguments.preset, system, coupling, folder) for tree in (ROOT, other)))
                compared += 1
                if found:
                    different += 1
                    print(f"{system}{', ' + coupling if coupling else ''}: {found}", flush=True)
    print(f"{compared} runs compared, {different} differ")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
