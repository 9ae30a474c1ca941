#!/usr/bin/env python3
"""Fails when an include goes up the layers of docs/architecture.md or the folders inside them, or
when a name of the FMI C interface, or of the extension for laws, occurs outside src/fmi."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# layer: the layers it may include (itself always).
MAY_INCLUDE = {
    "src/base": "",
    "src/process": "base",
    "src/files": "base process",
    "src/record": "base process files",
    "src/report": "base process files record",
    "src/numerics": "base",
    "src/fmi": "base process files",
    "src/description": "base process files",
    "src/foreign": "base process files description",
    "src/core": "base numerics",
    "src/exec": "base core",
    "src/expression": "base description core",
    "src/tlm": "base numerics core",
    "src/coupling": "base record numerics core tlm",
    "src/stepsize": "base numerics core",
    "src/ode": "base numerics core",
    "src/kit": "base process fmi core ode",
    "src/subsystem": "base process fmi core ode",
    "src/results": "base process files description numerics core",
    "src/assemble": "base process files record numerics fmi description core expression tlm coupling "
                    "stepsize ode kit subsystem results",
    "src/run": "base process files record numerics fmi description core exec tlm coupling stepsize "
               "ode kit subsystem results assemble",
    "src/analysis": "base process files record numerics fmi description core ode subsystem assemble run",
    "src/api": "base record description core kit results assemble run",
    "apps/cli": "base process files record report fmi description foreign core ode coupling stepsize "
                "subsystem results assemble run analysis",
    "apps/pack": "base files",
}
# The layers that public headers belong to, whose .cpp files are in src; all others may include
# nothing but headers of include/tandem.
PUBLIC = {
    "error": "base", "value": "base", "extend/index": "base", "extend/options": "base",
    "extend/registry": "base", "extend/statistic": "base", "extend/graph": "numerics",
    "extend/executor": "core", "extend/interval": "core", "extend/linear_model": "core",
    "extend/variables": "core", "extend/subsystem": "core", "extend/system": "core", "extend/signal_bus": "core",
    "extend/step_schedule": "core", "extend/cost_meter": "base", "extend/step_memory": "base", "extend/port_variables": "core",
    "extend/coupling": "coupling", "extend/step_tasks": "coupling", "extend/step_control": "stepsize", "extend/solver": "ode",
    "extend/result_writer": "results", "extend/source": "subsystem",
}
# The folders of a layer, bottom up ("." is the layer's own); each may include those before it.
# Folders with a slash between them do not include each other.
FOLDERS = {
    "src/fmi": "description | abi | . | sources | import / export",
    "src/description": ". | read | flatten / write",
    "src/ode": ". | solver | host / group",
    "src/coupling": ". | explicit / interface | iterative / network | catalog",
    "src/assemble": "load | connect | .",
    "src/run": "watch | .",
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"((?:[a-z_0-9]+/)+)', re.MULTILINE)
FMI_NAME = re.compile(r"\bfmi[123]?[A-Z]\w+|\b(?:tandem_expect|tandem_set|Tandem\w*)_?[iI]nput_?[lL]aw\b")
LAW_HEADER = "include/tandem/fmi_law.h"


PUBLIC_INCLUDE = re.compile(r'^\s*#\s*include\s+"tandem/([a-z_0-9/]+)\.hpp"', re.MULTILINE)


def sources(folder):
    return [p for p in sorted((ROOT / folder).rglob("*")) if p.suffix in {".cpp", ".hpp", ".h", ".c"}]


def public_headers(path):
    return PUBLIC_INCLUDE.findall(path.read_text())


def included_folders(path):
    return [match.group(1).rstrip("/") for match in INCLUDE.finditer(path.read_text())]


def upward_includes():
    layers = {layer.removeprefix("src/") for layer in MAY_INCLUDE if layer.startswith("src/")}
    for layer, allowed in MAY_INCLUDE.items():
        own = layer.removeprefix("src/")
        for path in sources(layer):
            for folder in included_folders(path):
                target = folder.split("/")[0]
                if target in layers and target != own and target not in allowed.split():
                    yield f"{path.relative_to(ROOT)}: layer '{layer}' may not include '{target}'"
            for header in public_headers(path):
                target = PUBLIC.get(header, own)
                if target != own and target not in allowed.split():
                    yield f"{path.relative_to(ROOT)}: layer '{layer}' may not include '{header}'"


def upward_public_includes():
    for header, layer in PUBLIC.items():
        path = ROOT / "include/tandem" / f"{header}.hpp"
        allowed = MAY_INCLUDE["src/" + layer].split() + [layer]
        for folder in included_folders(path):
            if folder.split("/")[0] != "tandem":
                yield f"{path.relative_to(ROOT)}: a public header may not include '{folder}'"
        for other in public_headers(path):
            if PUBLIC.get(other, layer) not in allowed:
                yield f"{path.relative_to(ROOT)}: layer '{layer}' may not include '{other}'"


def upward_includes_inside():
    for layer, order in FOLDERS.items():
        own = layer.removeprefix("src/")
        rank = {name: step for step, names in enumerate(order.split(" | ")) for name in names.split(" / ")}
        for path in sources(layer):
            below = path.relative_to(ROOT / layer).parts
            here = below[0] if len(below) > 1 else "."
            for folder in included_folders(path):
                if folder != own and not folder.startswith(own + "/"):
                    continue
                there = folder.removeprefix(own).strip("/") or "."
                if there != here and rank[there] >= rank[here]:
                    yield f"{path.relative_to(ROOT)}: '{layer}/{here}' may not include '{folder}'"


def unknown_folders():
    for parent in ("src", "apps"):
        for folder in sorted((ROOT / parent).iterdir()):
            if folder.is_dir() and f"{parent}/{folder.name}" not in MAY_INCLUDE:
                yield f"{parent}/{folder.name}: this layer is not in scripts/check_layers.py"
    for layer in MAY_INCLUDE:
        known = FOLDERS.get(layer, ".").replace("/", "|").replace(" ", "").split("|")
        folders = {path.parent for path in sources(layer) if path.suffix != ".h"} - {ROOT / layer}
        for folder in sorted(folders):
            if layer.startswith("src/") and folder.name not in known:
                yield f"{folder.relative_to(ROOT)}: this folder is not in scripts/check_layers.py"


def stray_fmi_names():
    for folder in ("src", "include", "apps"):
        for path in sources(folder):
            if "src/fmi/" in path.as_posix() or path.as_posix().endswith(LAW_HEADER):
                continue
            for match in FMI_NAME.finditer(path.read_text()):
                yield f"{path.relative_to(ROOT)}: '{match.group(0)}' belongs below src/fmi"


def main():
    problems = [*unknown_folders(), *upward_includes(), *upward_includes_inside(), *upward_public_includes(),
                *stray_fmi_names()]
    for problem in problems:
        print(f"layers: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
