#!/usr/bin/env python3
"""Draws the pictures of README.md and examples/README.md anew, with `tandem run`, `plot` and `graph`:
docs/pictures/*.svg and docs/pictures/examples/*.svg. Needs a release build.
Results are thinned to a few hundred rows, which is all that a small picture shows."""

import csv
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TANDEM = ROOT / "build/release/apps/cli/tandem"
PICTURES = ROOT / "docs/pictures"

# Example: variables over time, or those over another one.
PLOTS = {
    "algebraic_loop": ["a.x", "b.x"],
    "bouncing_ball": ["ball.h"],
    "bspk6": ["s0.x", "s1.x", "s2.x"],
    "bspk6_passive": ["s0.x", "s1.x", "s2.x"],
    "chain": ["b.x", "e.x"],
    "controlled_plant": ["plant.speed"],
    "cpp_api": ["plant.speed"],
    "dae": ["s1.x", "s2.y"],
    "nested_ssp": ["car.front.chassis.x", "car.rear.chassis.x"],
    "one_cycle": ["s1.x", "s2.x"],
    "oscillator_ring": ["o01.x", "o06.x"],
    "pendulum_oscillator": ["pendulum.alpha", "oscillator.x"],
    "pendulums_cartesian": ["left.x", "right.x"],
    "pendulums_polar": ["left.theta", "right.theta"],
    "pendulums_walls": ["left.x", "right.x"],
    "quarter_car": ["ground.z", "wheel.x", "chassis.x"],
    "race_car": ["chassis.Y", "chassis.X"],
    "simple_pair": ["a.x", "b.x"],
    "super_subsystem": ["s1.y", "s2.y", "s3.y"],
    "tlm_3d_pendulum": ["rod.r[1]", "rod.r[3]"],
    "tlm_hydraulic": ["pump.p", "load.p"],
    "tlm_mechanism": ["boom.r[3]"],
    "tlm_spring_mass": ["left.x3", "right.x1"],
    "two_cycles": ["r.x", "t.x", "u.x"],
    "viel_hydraulic": ["s1.p1"],
    "viel_linear": ["s1.e1", "s2.f2"],
}
OVER = {"race_car": ["--x", "chassis.X", "--vars", "chassis.Y", "--equal", "--width", "240"]}
# The interesting part, where the whole run is not.
STOP = {"bspk6": "2", "bspk6_passive": "4", "controlled_plant": "0.4", "pendulum_oscillator": "0.6", "quarter_car": "2.5",
        "viel_hydraulic": "1.05", "viel_linear": "0.02"}
START = {"controlled_plant": 0.15, "viel_hydraulic": 0.98}
GRAPHS = ["nonlinear_pair", "order_matters"]
ROWS = 400


def tandem(*words):
    subprocess.run([TANDEM, *map(str, words)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def run(example, folder):
    if example == "cpp_api":
        subprocess.run([ROOT / "build/release/examples/cpp_api/cpp_api", ROOT / "build/release/fmus/Plant_fmi2.fmu"],
                       cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return pathlib.Path(folder) / "held_speed.csv"
    whole = pathlib.Path(folder) / "whole.csv"
    more = ["--stop", STOP[example]] if example in STOP else []
    tandem("run", ROOT / "examples" / example / "system.toml", "--output", whole, "--quiet", *more)
    return whole


def results(example, folder):
    """Its results with so many rows as a picture needs."""
    whole = run(example, folder)
    with open(whole, newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    rows = [row for row in rows if float(row[0]) >= START.get(example, float("-inf"))]
    thin = pathlib.Path(folder) / f"{example}.csv"
    with open(thin, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows[:: max(1, len(rows) // ROWS)]])
    return thin


def main():
    (PICTURES / "examples").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for example, names in PLOTS.items():
            thin = results(example, folder)
            what = OVER.get(example, ["--vars", ",".join(names), "--width", "320", "--height", "120"])
            tandem("plot", thin, *what, "-o", PICTURES / "examples" / f"{example}.svg")
            if example == "quarter_car":
                tandem("plot", thin, "--vars", ",".join(names), "--width", "760", "--height", "200", "-o",
                       PICTURES / "quarter_car.svg")
    for example in GRAPHS:
        tandem("graph", ROOT / "examples" / example / "system.toml", "-o", PICTURES / "examples" / f"{example}.svg")
    tandem("graph", ROOT / "examples/quarter_car/system.toml", "-o", PICTURES / "quarter_car_graph.svg")


main()
