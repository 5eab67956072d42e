#!/usr/bin/env python3
"""The right-angle cantilever (Simo and Vu-Quoc 1988; C8 of the validation) here and in Exudyn, whose beam is of the same kind (two
nodes, interpolated on SE(3)): processor time of the steps over the error of the tip, and time per step of long beams. Needs Exudyn
(https://github.com/jgerstmayr/EXUDYN); prints one JSON object per line, as the benchmarks do.

    python3 benchmarks/peer/exudyn_beams.py build/bin/escapement
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import exudyn as exu
import numpy as np
from exudyn.utilities import *  # noqa: F403

PROGRAM = sys.argv[1]
# Tip displacement at 5 s, computed with spectral elements to 1e-6 (validation/C8_rightangle.cpp).
REFERENCE = np.array([-0.540678, -1.062475, 5.479398])
UNTIL = 5.0


def report(case, ratio, against, value, unit):
    print(json.dumps({"bench": "exudyn_beams", "case": case, "ratio": float(f"{ratio:.4g}"), "against": against,
                      "value": float(f"{value:.6g}"), "unit": unit}), flush=True)


def here(elements, step, length=10.0, until=UNTIL, corner=True):
    """Seconds of the run, the tip's displacement, and the number of steps."""
    second = f"""
  two: {{type: beam.line, from: [{length} m, 0, 0], to: [{length} m, {length} m, 0], elements: {elements}, properties: *section}}
  corner: {{type: joint.fixed, between: [one.end, two.start], at: [{length} m, 0, 0]}}""" if corner else ""
    section = ("{axial: 1e6 N, shear: [1e6 N, 1e6 N], torsion: 1e3 N*m^2, bending: [1e3 N*m^2, 1e3 N*m^2], mass: 1 kg/m, "
               "inertia: [20 kg*m, 10 kg*m, 10 kg*m]}")
    text = f"""escapement: 1
gravity: [0, 0, 0]
components:
  one: {{type: beam.line, from: [0, 0, 0], to: [{length} m, 0, 0], elements: {elements}, properties: {section}}}{second.replace('*section', section)}
  root: {{type: joint.fixed, between: [ground, one.start], at: [0, 0, 0]}}
  pulse: {{type: control.time_table, table: [[0, 0], [1 s, 50], [2 s, 0], [100 s, 0]], unit: N}}
  none: {{type: control.constant, value: 0, unit: N}}
  push: {{type: force.point, at: one.end, input: [none, none, pulse]}}
simulate: {{until: {until} s, step: {step} s, rho: 0.9, output_every: {until} s}}
record: [{'two' if corner else 'one'}.end.position]
"""
    with tempfile.TemporaryDirectory() as folder:
        model, out = pathlib.Path(folder) / "model.yaml", pathlib.Path(folder) / "out"
        model.write_text(text)
        done = subprocess.run([PROGRAM, "run", str(model), "--out", str(out), "--quiet"], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        summary = json.loads((out / "summary.json").read_text())
        rows = list(csv.reader((out / "results.csv").open()))
    start, end = (np.array([float(x) for x in row[1:]]) for row in (rows[1], rows[-1]))
    return summary["wall_seconds"], end - start, round(until / step)


def there(elements, step, length=10.0, until=UNTIL, corner=True):
    SC = exu.SystemContainer()
    mbs = SC.AddSystem()
    K = np.diag([1e6, 1e6, 1e6, 1e3, 1e3, 1e3])
    section = exu.BeamSection()
    section.stiffnessMatrix = K
    section.inertia = np.diag([20.0, 10.0, 10.0])
    section.massPerLength = 1.0

    def node(x, axis):
        turn = np.eye(3) if axis == 0 else np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
        return mbs.AddNode(NodeRigidBodyRotVecLG(referenceCoordinates=list(x) + list(RotationMatrix2RotationVector(turn)))) \
            if "NodeRigidBodyRotVecLG" in globals() else \
            mbs.AddNode(NodeRigidBodyRxyz(referenceCoordinates=list(x) + list(RotationMatrix2RotXYZ(turn))))

    def line(first, way, axis):
        nodes = [first if first is not None else node(way(0.0), axis)]
        for i in range(elements):
            nodes.append(node(way((i + 1) / elements), axis))
            mbs.AddObject(ObjectBeamGeometricallyExact(nodeNumbers=[nodes[-2], nodes[-1]], length=length / elements,
                                                       sectionData=section))
        return nodes

    one = line(None, lambda s: [length * s, 0, 0], 0)
    tip = one[-1]
    markers = lambda n: mbs.AddMarker(MarkerNodeRigid(nodeNumber=n))  # noqa: E731
    if corner:
        two = line(None, lambda s: [length, length * s, 0], 1)
        mbs.AddObject(GenericJoint(markerNumbers=[markers(one[-1]), markers(two[0])], constrainedAxes=[1] * 6,
                                   rotationMarker0=np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])))
        tip = two[-1]
    ground = mbs.AddObject(ObjectGround())
    mbs.AddObject(GenericJoint(markerNumbers=[mbs.AddMarker(MarkerBodyRigid(bodyNumber=ground)), markers(one[0])],
                               constrainedAxes=[1] * 6))

    def pulse(mbs, t, load):
        return [0, 0, 50 * t if t < 1 else max(0.0, 50 * (2 - t))]

    mbs.AddLoad(LoadForceVector(markerNumber=markers(one[-1]), loadVector=[0, 0, 0], loadVectorUserFunction=pulse))
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = round(until / step)
    settings.timeIntegration.endTime = until
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.timeIntegration.newton.useModifiedNewton = False  # the modified one hangs here
    settings.solutionSettings.writeSolutionToFile = False
    settings.timeIntegration.verboseMode = 0
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    settings.parallel.numberOfThreads = 1
    began = time.process_time()
    mbs.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha)
    spent = time.process_time() - began
    return spent, mbs.GetNodeOutput(tip, exu.OutputVariableType.Displacement), round(until / step)


def main():
    for name, run in (("here", here), ("exudyn", there)):
        for elements, step in ((4, 0.05), (8, 0.025), (16, 0.0125), (32, 0.00625)):
            try:
                seconds, tip, _ = run(elements, step)
            except exu.SolverError as fault:
                print(f"{name}, {elements} elements: {fault}", file=sys.stderr)
                continue
            report(f"{name}, right angle, 2 x {elements} elements, h = {step} s", float(np.linalg.norm(tip - REFERENCE)),
                   "error of the tip at 5 s in m", seconds * 1e3, "ms")
    for elements in (100, 1000):
        try:
            both = [run(elements, 0.01, length=0.5 * elements, until=1.0, corner=False) for run in (here, there)]
        except exu.SolverError as fault:
            print(f"straight, {elements} elements: {fault}", file=sys.stderr)
            continue
        report(f"straight, {elements} elements, 100 steps", both[0][0] / both[1][0], "Exudyn", both[0][0] * 1e4, "us per step")


main()
