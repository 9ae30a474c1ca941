#!/usr/bin/env python3
"""Fails when an include goes up the layers of docs/architecture.md, or when a name of the FMI C
interface, or of the extension for laws, occurs outside src/fmi."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# layer: the layers it may include (itself always).
MAY_INCLUDE = {
    "base": set(),
    "report": {"base"},
    "fmi": {"base"},
    "ssp": {"base"},
    "foreign": {"base", "ssp"},
    "core": {"base"},
    "exec": {"base", "core"},
    "extrapolate": {"base"},
    "coupling": {"base", "core", "extrapolate"},
    "stepsize": {"base", "core", "extrapolate"},
    "ode": {"base", "core"},
    "kit": {"base", "fmi", "core", "ode"},
    "subsystem": {"base", "fmi", "core", "ode"},
    "run": {"base", "fmi", "ssp", "core", "exec", "coupling", "extrapolate", "stepsize", "ode",
            "subsystem", "kit"},
    "api": {"base", "core", "ssp", "kit", "run"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z_]+)/', re.MULTILINE)
FMI_NAME = re.compile(r"\bfmi[123]?[A-Z]\w+|\b(?:tandem_expect|tandem_set|Tandem\w*)_?[iI]nput_?[lL]aw\b")
LAW_HEADER = "include/tandem/fmi_law.h"


def sources(folder):
    return [p for p in sorted((ROOT / folder).rglob("*")) if p.suffix in {".cpp", ".hpp", ".h", ".c"}]


def upward_includes():
    for layer, allowed in MAY_INCLUDE.items():
        for path in sources(f"src/{layer}"):
            for match in INCLUDE.finditer(path.read_text()):
                target = match.group(1)
                if target in MAY_INCLUDE and target != layer and target not in allowed:
                    yield f"{path.relative_to(ROOT)}: layer '{layer}' may not include '{target}'"


def unknown_layers():
    for folder in sorted((ROOT / "src").iterdir()):
        if folder.is_dir() and folder.name not in MAY_INCLUDE:
            yield f"src/{folder.name}: this layer is not in scripts/check_layers.py"


def stray_fmi_names():
    for folder in ("src", "include", "apps"):
        for path in sources(folder):
            if "src/fmi/" in path.as_posix() or path.as_posix().endswith(LAW_HEADER):
                continue
            for match in FMI_NAME.finditer(path.read_text()):
                yield f"{path.relative_to(ROOT)}: '{match.group(0)}' belongs below src/fmi"


def main():
    problems = [*unknown_layers(), *upward_includes(), *stray_fmi_names()]
    for problem in problems:
        print(f"layers: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
