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
