// node test/unit.mjs: checks of the functions that need no browser.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(here, "..", "node_modules", ".unit-"));
const load = async (name) => {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(here, "..", "src", `${name}.ts`)],
    bundle: true,
    format: "esm",
    outfile,
    logLevel: "error",
  });
  return import(pathToFileURL(outfile));
};
const units = await load("units");
const { spectrum } = await load("spectrum");
const { layout_1d, largest_relative } = await load("layout1d");
const { tokens, parameters } = await load("model_text");
const { interval } = await load("decode");
const { twist, along } = await load("curve");
const { bearing, measure } = await load("measures");
const { outline } = await load("outline");
const { chains, fineness, Tube } = await load("beams");
const { Poses } = await load("poses");
const { Looks } = await load("shapes");
const { bar_ticks } = await load("colour_bar");
const { magnitude_colour, signed_colour } = await load("palette");
rmSync(folder, { recursive: true });

test("units are set in print", () => {
  assert.equal(units.pretty_unit("kg*m/s^2"), "kg·m/s²");
  assert.equal(units.pretty_unit("1"), "");
  assert.equal(units.pretty_unit("s^-1"), "s⁻¹");
});

test("prefixes where they are usual, else powers of ten", () => {
  assert.deepEqual(units.scale_for("N", 25000), { factor: 1e-3, unit: "kN" });
  assert.equal(units.scale_for("N*m", 0.02).unit, "mN·m");
  assert.equal(units.scale_for("m/s^2", 0.05).unit, "mm/s²");
  assert.equal(units.scale_for("m", 3).unit, "m");
  assert.equal(units.scale_for("kg", 5e4).unit, "10³ kg");
  assert.equal(units.scale_for("m^2", 1e-5).unit, "10⁻⁶ m²");
  assert.equal(units.scale_for("rad", 2e5).unit, "10³ rad");
  assert.equal(units.scale_for("s", 1e-3).unit, "ms");
});

test("numbers", () => {
  assert.equal(units.number(-0.5), "−0.5");
  assert.equal(units.number(1.5e-9, 3), "1.5·10⁻⁹");
  assert.equal(units.number(NaN), "–");
  assert.equal(units.quantity(12345, "N", 3), "12.3 kN");
  assert.equal(units.tick(0.30000000000000004, 0.1), "0.3");
  assert.equal(units.tick(2.5, 2.5), "2.5");
  assert.equal(units.axis_name(["a.force.x", "b.force.y"], "N"), "force");
  assert.equal(units.axis_name(["a", "b.force"], "N"), "force");
});

test("a sine wave has its amplitude at its frequency", () => {
  const n = 4096;
  const times = Float64Array.from({ length: n + 1 }, (_, i) => (8 * i) / n);
  const values = times.map((t) => 5 + 0.25 * Math.sin(2 * Math.PI * 10 * t));
  const found = spectrum(times, values, 0, 8);
  const peak = found.amplitude.reduce((best, v, i) => (v > found.amplitude[best] ? i : best), 0);
  assert.equal(found.frequency[peak], 10);
  assert.ok(Math.abs(found.amplitude[peak] - 0.25) < 1e-4);
  assert.equal(spectrum(times, values, 2, 2.001), null);
});

test("the interval that holds a time", () => {
  const times = [0, 1, 1, 2, 3];
  assert.equal(interval(times, -1), 0);
  assert.equal(interval(times, 1), 2);
  assert.equal(interval(times, 2.5), 3);
  assert.equal(interval(times, 9), 3);
});

const end = (node) => ({ node, position: [0, 0, 0], quaternion: [1, 0, 0, 0] });
const pair = (a, b, type = "translational.spring") => ({
  name: `${a}-${b}`,
  type,
  parts: [{ primitive: "spring", size: [], ends: [end(a), end(b)] }],
});

test("sliders stand in a row by their distance from the ground", () => {
  const nodes = ["a", "b", "c"].map((name, i) => ({ name, domain: "translational", first: i + 1 }));
  const scene = {
    gravity: null,
    nodes,
    components: [pair(null, 0), pair(0, 1), pair(0, 1, "translational.damper"), pair(0, 2)],
  };
  scene.components.forEach((c, i) => (c.name += i));
  const layout = layout_1d(
    scene,
    [
      [-1, 1],
      [0, 0],
      [0, 0],
    ],
    0.35,
  );
  assert.equal(layout.pitch, 1);
  assert.deepEqual(
    layout.places.map((p) => p.x),
    [1, 2, 2],
  );
  assert.notEqual(layout.places[1].y, layout.places[2].y);
  assert.notEqual(layout.lane.get(1), layout.lane.get(2));
  assert.ok(layout.wall);
});

test("the pitch follows the largest relative motion", () => {
  const nodes = ["a", "b"].map((name, i) => ({ name, domain: "translational", first: i + 1 }));
  const scene = { gravity: null, nodes, components: [pair(0, 1)] };
  const x = [
    [0, 100, 200],
    [1, 101, 203],
  ];
  assert.equal(
    largest_relative(scene, 3, (n, f) => x[n][f]),
    1,
  );
});

test("colours of the model's text keep every character", () => {
  for (const line of [
    "  a: {type: body.box, size: [40 mm, 2*b], mass: 2 kg} # it's heavy",
    "- 'it''s' : \"x\\\"y\"",
    "t < 0.1 s ? 0 : 1",
    "",
    "key:",
    "<script>alert(1)</script>",
  ])
    assert.equal(
      tokens(line)
        .map((t) => t.text)
        .join(""),
      line,
    );
  const kinds = tokens("mass: 2.5 kg*m^2 # c").map((t) => `${t.kind} ${t.text}`);
  assert.ok(kinds.includes("key mass"));
  assert.ok(kinds.includes("number 2.5 kg*m^2"));
  assert.ok(kinds.includes("comment # c"));
});

test("parameters of a model", () => {
  assert.deepEqual(parameters("parameters: {m: 1 kg, v: [1, 2]}\n"), [
    { name: "m", value: "1 kg", comment: "" },
    { name: "v", value: "[1, 2]", comment: "" },
  ]);
  assert.deepEqual(parameters("a: 1\nparameters:\n  l: 0.5 m   # long\n\n  k: 2\nb: 3\n"), [
    { name: "l", value: "0.5 m", comment: "long" },
    { name: "k", value: "2", comment: "" },
  ]);
});

const close = (found, wanted, tolerance) =>
  assert.ok(
    found.length === wanted.length && found.every((v, i) => Math.abs(v - wanted[i]) <= tolerance),
    `${[...found]} instead of ${[...wanted]}`,
  );
const turned = (axis, angle, x) => {
  const size = Math.hypot(...axis);
  return Float64Array.from([Math.cos(angle / 2), ...axis.map((v) => (Math.sin(angle / 2) * v) / size), ...x]);
};
const steel = { outline: "rectangle", size: [0.02, 0.01], youngs_modulus: 2e11, cable: false };

test("a twist leads from one frame to the other, at any angle", () => {
  const a = turned([1, 2, -1], 0.7, [1, -2, 3]);
  for (const angle of [0, 1e-9, 1e-5, 3e-4, 2e-3, 0.09, 0.11, 1, 3]) {
    const b = turned([0.3, 1, 0.5], 0.7 + angle, [1.5, -2.2, 3.4]);
    const t = new Float64Array(6);
    const found = new Float64Array(7);
    twist(a, b, t);
    along(a, t, 1, found);
    const sign = Math.sign(found[0] * b[0] + found[1] * b[1] + found[2] * b[2] + found[3] * b[3]);
    for (let i = 0; i < 4; ++i) found[i] *= sign;
    close(found, b, 1e-14);
    // Half of the way twice is the whole way.
    const half = new Float64Array(7);
    along(a, t, 0.5, half);
    along(
      half,
      t.map((v) => v / 2),
      1,
      found,
    );
    const again = Math.sign(found[0] * b[0] + found[1] * b[1] + found[2] * b[2] + found[3] * b[3]);
    for (let i = 0; i < 4; ++i) found[i] *= again;
    close(found, b, 1e-14);
  }
});

test("the middle of a piece of a circle is on the circle", () => {
  const radius = 0.4;
  const angle = 0.5 / radius;
  const a = turned([0, 1, 0], 0, [0, 0, 0]);
  const b = turned([0, 1, 0], -angle, [radius * Math.sin(angle), 0, radius * (1 - Math.cos(angle))]);
  const way = new Float64Array(6);
  twist(a, b, way);
  const middle = new Float64Array(7);
  along(a, way, 0.5, middle);
  close(middle.subarray(4), [radius * Math.sin(angle / 2), 0, radius * (1 - Math.cos(angle / 2))], 1e-15);
});

test("what beams bear, and the stress of each fibre", () => {
  const motion = Float32Array.from([7, 7, 1e-4, 2e-5, 0, 0.3, 0.02, -0.01, 4000, 200, 0, 15, 6, -13]);
  const borne = new Float32Array(12);
  bearing(steel, motion, 2, borne);
  const at = (what) => {
    const out = new Float32Array(3);
    measure(what, steel, borne, out, 0);
    return out;
  };
  const roughly = (what, wanted) => close(at(what), wanted, 1e-6 * Math.max(...wanted.map(Math.abs)));
  roughly("curvature", [Math.hypot(0.02, 0.01), 0, 0]);
  roughly("axial", [4000, 0, 0]);
  roughly("shear", [200, 0, 0]);
  roughly("torsion", [15, 0, 0]);
  roughly("bending", [Math.hypot(6, 13), 0, 0]);
  roughly("stress", [2e7, 2e9, 4e9]);
  // Of a cable an elongation and a tension are recorded.
  const cable = { ...steel, cable: true };
  bearing(cable, motion, 8, borne);
  close(borne, [4000, 0, 0, 0, 0, 0, 200, 0, 0, 0, 0, 0], 0);
});

test("outlines are closed, look outwards and enclose their area", () => {
  const circle = (sides) => (sides / 2) * Math.sin((2 * Math.PI) / sides);
  for (const [shape, size, area] of [
    ["rectangle", [2, 3], 6],
    ["ellipse", [2, 3], 6 * circle(16)],
    ["tube", [2, 1], 3 * circle(16)],
    ["tube", [2, 0], 4 * circle(16)],
    ["hollow_box", [4, 3, 0.5], 12 - 6],
    ["i_beam", [4, 6, 1, 0.5], 8 + 2],
  ]) {
    const { points, normals, edges, cap, reach } = outline(shape, size, 16);
    const at = (i) => [points[2 * i], points[2 * i + 1]];
    const twice = (p, q) => p[0] * q[1] - p[1] * q[0];
    const inside = edges.reduce((sum, [i, j]) => sum + twice(at(i), at(j)) / 2, 0);
    close([inside], [area], 1e-12);
    let covered = 0;
    for (const [i, j, k] of cap) {
      const part = (twice(at(i), at(j)) + twice(at(j), at(k)) + twice(at(k), at(i))) / 2;
      assert.ok(part > 0, `${shape}: a triangle of its end is turned over`);
      covered += part;
    }
    close([covered], [area], 1e-12);
    for (const [i, j] of edges) {
      const [p, q] = [at(i), at(j)];
      for (const k of [i, j]) {
        close([Math.hypot(normals[2 * k], normals[2 * k + 1])], [1], 1e-12);
        assert.ok(
          normals[2 * k] * (q[1] - p[1]) - normals[2 * k + 1] * (q[0] - p[0]) > 0,
          `${shape}: inwards`,
        );
      }
    }
    close([Math.max(...points.filter((_, i) => i % 2 === 0))], [reach[0]], 1e-12);
  }
});

/** A run of two frames: a straight beam of pieces on frames, then bent to a part of a circle about y. */
function bent_run(count, angle) {
  const nodes = Array.from({ length: count + 1 }, (_, i) => ({
    name: `b.node${i}`,
    domain: "frame",
    first: 1 + 7 * i,
  }));
  const bears = 1 + 7 * (count + 1);
  const columns = bears + 12 * count;
  const motion = new Float32Array(2 * columns);
  const length = 0.5 * count;
  for (const f of [0, 1])
    for (let i = 0; i <= count; ++i) {
      const turn = (f * angle * i) / count;
      const radius = length / angle;
      const place = f
        ? [radius * Math.sin(turn), 0, radius * (1 - Math.cos(turn))]
        : [(i * length) / count, 0, 0];
      motion.set(turned([0, 1, 0], -turn, place), f * columns + 1 + 7 * i);
      motion[f * columns] = f;
      if (i === count) continue;
      const at = f * columns + bears + 12 * i;
      motion[at + 4] = (-f * angle) / length;
      motion[at + 10] = (-300 * f * angle) / length;
    }
  const parts = Array.from({ length: count }, (_, i) => ({
    primitive: "beam",
    size: [],
    ends: [end(i), end(i + 1)],
    beam: 0,
    bears: bears + 12 * i,
  }));
  const scene = {
    gravity: null,
    nodes,
    beams: [steel],
    components: [{ name: "b", type: "beam.line", parts }],
  };
  return { run: { run: { motion: { frames: 2, columns } }, motion }, scene };
}

test("a beam is one tube along its curve, and its range holds over the run", () => {
  const { run, scene } = bent_run(4, 1.2);
  const poses = new Poses(run, scene);
  const [pieces] = chains(scene, scene.components[0]);
  assert.equal(pieces.length, 4);
  const tube = new Tube(poses, pieces, false, new Looks("#888888", false), { rings: 2, sides: 8 }, 0);
  poses.set(1);
  tube.update();
  // Eight points a ring; the second ring is in the middle of the first piece.
  const p = tube.mesh.geometry.attributes.position.array;
  const middle = [0, 1, 2].map((k) => {
    let sum = 0;
    for (let i = 8; i < 16; ++i) sum += p[3 * i + k] / 8;
    return sum;
  });
  const radius = 2 / 1.2;
  close(middle, [radius * Math.sin(0.15), 0, radius * (1 - Math.cos(0.15))], 1e-6);
  const largest = 1.2 / 2;
  close(tube.extremes("curvature"), [0, largest], 1e-7);
  close(tube.extremes("stress"), [-2e11 * largest * 0.005, 2e11 * largest * 0.005], 2e11 * 1e-9);
  close(tube.extremes("axial"), [0, 0], 0);
  // What older runs do not tell is not known.
  assert.ok(tube.knows("bending"));
  pieces.forEach((piece) => delete piece.bears);
  assert.ok(!tube.knows("bending"));
  pieces.forEach((piece, i) => (piece.bears = scene.components[0].parts[i].bears));
  // Between the frames values are mixed.
  tube.paint("bending", { signed: false, largest: 300 * largest, sign: 1 });
  poses.set(0.5);
  tube.update();
  close([tube.mesh.geometry.attributes.uv.getX(20)], [(0.5 + 255 * 0.5) / 256], 1e-6);
});

test("pieces that do not meet are tubes of their own", () => {
  const { scene } = bent_run(3, 1);
  scene.components[0].parts[2].ends[0] = { ...end(2), position: [0, 0, 0.1] };
  assert.deepEqual(
    chains(scene, scene.components[0]).map((chain) => chain.length),
    [2, 1],
  );
  assert.ok(fineness(2000).rings < fineness(10).rings);
});

test("a taper goes on evenly to the ends", () => {
  const { run, scene } = bent_run(3, 1);
  scene.beams = [5, 3, 1].map((k) => ({ ...steel, size: [0.02 * k, 0.01 * k] }));
  scene.components[0].parts.forEach((part, i) => (part.beam = i));
  const poses = new Poses(run, scene);
  const [pieces] = chains(scene, scene.components[0]);
  const tube = new Tube(poses, pieces, false, new Looks("#888888", false), { rings: 2, sides: 8 }, 0);
  poses.set(0);
  tube.update();
  // The first corner of each ring is at half the width.
  const widths = Array.from(
    { length: 7 },
    (_, r) => 100 * tube.mesh.geometry.attributes.position.getY(8 * r),
  );
  close(widths, [6, 5, 4, 3, 2, 1, 0], 1e-5);
});

test("cables hang on points", () => {
  const nodes = [0, 1].map((i) => ({ name: `p${i}`, domain: "point", first: 1 + 3 * i }));
  const cable = {
    ...steel,
    outline: "ellipse",
    youngs_modulus: null,
    cable: true,
  };
  const parts = [
    { primitive: "beam", size: [], ends: [end(null), end(0)], beam: 0, bears: 7 },
    { primitive: "beam", size: [], ends: [end(0), end(1)], beam: 0, bears: 9 },
  ];
  const scene = { gravity: null, nodes, beams: [cable], components: [{ name: "c", type: "c", parts }] };
  const motion = Float32Array.from([0, 0, 0, -0.5, 0.5, 0, -0.5, 0.01, 30, 0.02, 60]);
  const poses = new Poses({ run: { motion: { frames: 1, columns: 11 } }, motion }, scene);
  assert.deepEqual(poses.drawn, [true, true]);
  const [pieces] = chains(scene, scene.components[0]);
  const tube = new Tube(poses, pieces, false, new Looks("#888888", false), { rings: 1, sides: 4 }, 0);
  tube.update();
  assert.ok(tube.straight && tube.knows("axial") && !tube.knows("stress"));
  close(tube.extremes("axial"), [0, 60], 0);
  assert.ok(tube.mesh.geometry.attributes.position.array.every(Number.isFinite));
  assert.ok(tube.mesh.geometry.attributes.normal.array.every(Number.isFinite));
});

test("colours of beams change evenly", () => {
  const lab = (rgb) => {
    const [r, g, b] = rgb.map((v) =>
      v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
    );
    const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return [
      0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
      1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
      0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
    ];
  };
  for (const [colour, from] of [
    [magnitude_colour, 0],
    [signed_colour, -1],
  ]) {
    const steps = Array.from({ length: 8 }, (_, i) => {
      const [p, q] = [i, i + 1].map((k) => lab(colour(from + ((1 - from) * k) / 8)));
      return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
    });
    const mean = steps.reduce((sum, step) => sum + step / 8, 0);
    const rounding = (2 * 0.5 * Math.sqrt(3)) / 255; // of both ends to 8 bits a colour
    for (const step of steps) assert.ok(Math.abs(step - mean) < rounding, steps.join(" "));
  }
});

test("numbers of the colour bar", () => {
  assert.deepEqual(bar_ticks(10), { step: 2.5, values: [0, 2.5, 5, 7.5, 10] });
  assert.deepEqual(bar_ticks(3.7).values, [0, 1, 2, 3]);
});
