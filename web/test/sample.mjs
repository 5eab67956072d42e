// node test/sample.mjs TEMPLATE RUN_FOLDER OUTPUT [OTHER_RUN_FOLDER]: a report page with a scene made by hand, for work on the
// viewer without the program.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const [template, folder, output, other] = process.argv.slice(2);
if (!output) {
  console.error("usage: node test/sample.mjs TEMPLATE RUN_FOLDER OUTPUT [OTHER_RUN_FOLDER]");
  process.exit(2);
}
const blocks = [];
const put = (array) => blocks.push(Buffer.from(array.buffer).toString("base64")) - 1;

const units = {
  position: "m",
  velocity: "m/s",
  angular_velocity: "rad/s",
  acceleration: "m/s^2",
  quaternion: "1",
  force: "N",
  torque: "N*m",
  energy: "J",
  angle: "rad",
  displacement: "m",
  elongation: "m",
  contact: "m",
};

function unit_of(name) {
  if (/^(motor|load)\.velocity$|^(shoulder|elbow|O|R|A)\.velocity$/.test(name)) return "rad/s";
  if (/^reference/.test(name)) return "rad";
  for (const part of name.split(".").reverse()) if (units[part]) return units[part];
  return "1";
}

const ground = (position = [0, 0, 0]) => ({ node: null, position, quaternion: [1, 0, 0, 0] });
const about_y = [Math.SQRT1_2, Math.SQRT1_2, 0, 0]; // z to −y

/** Bodies by their channels; joints and solids of a few examples. */
function scene_of(model, columns) {
  const nodes = [];
  const components = [];
  const pieces = []; // columns of the motion
  let first = 1;
  const node = (name, domain, names) => {
    nodes.push({ name, domain, first });
    pieces.push(...names);
    first += names.length;
    return nodes.length - 1;
  };
  const component = (name, type, parts, connections = [], arrows = []) =>
    components.push({
      name,
      type,
      summary: "",
      primitive: parts[0]?.primitive ?? "none",
      parts,
      connections,
      arrows,
    });
  const solids = {
    upper: ["body.box", "box", [0.04, 0.04, 0.5]],
    fore: ["body.box", "box", [0.03, 0.03, 0.5]],
    crank: ["body.box", "box", [0.1, 0.01, 0.02]],
    coupler: ["body.box", "box", [0.5, 0.01, 0.02], [-0.25, 0, 0]],
    rocker: ["body.box", "box", [0.25, 0.01, 0.02]],
    barrel: ["body.tube", "tube", [0.012, 0.02, 0.3]],
    rod: ["body.cylinder", "cylinder", [0.01, 0.35]],
    table: ["body.cylinder", "cylinder", [0.35, 0.03]],
    disk: ["body.rigid", "sphere", []],
  };
  for (const name of columns) {
    const at = /^(.*)\.quaternion\.w$/.exec(name);
    if (!at) continue;
    const body = at[1];
    const q = ["w", "x", "y", "z"].map((c) => `${body}.quaternion.${c}`);
    const p = ["x", "y", "z"].map((c) => `${body}.position.${c}`);
    const n = node(body, "frame", [...q, ...p]);
    const [type, primitive, size, place = [0, 0, 0]] = solids[body.split(".").pop()] ?? [
      "body.rigid",
      "sphere",
      [],
    ];
    component(body, type, [
      { primitive, size, ends: [{ node: n, position: place, quaternion: [1, 0, 0, 0] }] },
    ]);
  }
  const on = (name, position, quaternion = [1, 0, 0, 0]) => ({
    node: nodes.findIndex((n) => n.name === name),
    position,
    quaternion,
  });
  const known = (name) => nodes.some((n) => n.name === name);
  const reaction = (name) =>
    ["force", "torque"]
      .filter((kind) => columns.includes(`${name}.${kind}.x`))
      .map((kind) => ({
        channels: ["x", "y", "z"].map((c) => `${name}.${kind}.${c}`),
        kind,
        end: 1,
        axes: 0,
      }));
  if (known("upper") && known("fore")) {
    component(
      "shoulder",
      "joint.revolute",
      [
        {
          primitive: "cylinder",
          size: [],
          ends: [{ ...ground(), quaternion: about_y }, on("upper", [0, 0, 0.25], about_y)],
        },
      ],
      [
        { port: "a", to: "ground", signal: false },
        { port: "b", to: "upper", signal: false },
      ],
      reaction("shoulder"),
    );
    component(
      "elbow",
      "joint.revolute",
      [
        {
          primitive: "cylinder",
          size: [],
          ends: [on("upper", [0, 0, -0.25], about_y), on("fore", [0, 0, 0.25], about_y)],
        },
      ],
      [
        { port: "a", to: "upper", signal: false },
        { port: "b", to: "fore", signal: false },
      ],
      reaction("elbow"),
    );
    component("command", "control.step", []);
    component("reference", "control.second_order", [], [{ port: "input", to: "command", signal: true }]);
    component(
      "controller",
      "control.pid",
      [],
      [
        { port: "setpoint", to: "reference", signal: true },
        { port: "measurement", to: "shoulder", signal: true },
      ],
    );
    component(
      "motor",
      "rotational.torque",
      [],
      [
        { port: "input", to: "controller", signal: true },
        { port: "at", to: "shoulder", signal: false },
      ],
    );
  }
  const hinge = (name, type, a, b) =>
    component(
      name,
      type,
      [{ primitive: "cylinder", size: [], ends: [a, b] }],
      [a, b].map((e, i) => ({
        port: "ab"[i],
        to: e.node === null ? "ground" : nodes[e.node].name,
        signal: false,
      })),
      reaction(name),
    );
  if (known("coupler") && known("crank")) {
    hinge("O", "joint.revolute", { ...ground(), quaternion: about_y }, on("crank", [0.05, 0, 0], about_y));
    hinge("A", "joint.revolute", on("crank", [-0.05, 0, 0], about_y), on("coupler", [-0.5, 0, 0], about_y));
    hinge(
      "R",
      "joint.revolute",
      { ...ground([0.2, 0, 0]), quaternion: about_y },
      on("rocker", [-0.125, 0, 0], about_y),
    );
    hinge(
      "B",
      "joint.point_on_line",
      on("rocker", [0.125, 0, 0], about_y),
      on("coupler", [-0.25, 0, 0], about_y),
    );
  }
  for (const { name } of [...nodes]) {
    const leg = /^(leg\..*)\.barrel$/.exec(name)?.[1];
    if (!leg) continue;
    const row = leg.split(".").map(Number);
    const angle = ((120 * row[1] + 10 * (2 * row[2] - 1)) * Math.PI) / 180;
    const foot = ground([0.45 * Math.cos(angle), 0.45 * Math.sin(angle), 0]);
    const up = ((120 * row[1] + 50 * (2 * row[2] - 1)) * Math.PI) / 180;
    hinge(`${leg}.cardan`, "joint.universal", foot, on(name, [0, 0, -0.15]));
    hinge(`${leg}.slide`, "joint.prismatic", on(name, [0, 0, -0.15]), on(`${leg}.rod`, [0, 0, 0]));
    hinge(
      `${leg}.ball`,
      "joint.spherical",
      on(`${leg}.rod`, [0, 0, 0.175]),
      on("table", [0.3 * Math.cos(up), 0.3 * Math.sin(up), 0]),
    );
  }
  if (known("disk"))
    component("plane", "joint.rolling_wheel", [
      { primitive: "wheel", size: [1, 0], ends: [on("disk", [0, 0, 0], about_y)] },
    ]);
  if (!nodes.length) {
    for (const name of columns) {
      const mass = /^(.*)\.position$/.exec(name);
      const inertia = /^(.*)\.angle$/.exec(name);
      const found = mass ?? inertia;
      if (!found || found[1] === "spring") continue;
      const n = node(found[1], mass ? "translational" : "rotational", [name]);
      component(found[1], mass ? "translational.mass" : "rotational.inertia", [
        { primitive: "box", size: [], ends: [{ ...ground(), node: n }] },
      ]);
    }
    const end = (name) =>
      name === "ground" ? ground() : { ...ground(), node: nodes.findIndex((n) => n.name === name) };
    const pair = (name, type, primitive, a, b) =>
      component(
        name,
        type,
        [{ primitive, size: [], ends: [end(a), end(b)] }],
        [
          { port: "a", to: a, signal: false },
          { port: "b", to: b, signal: false },
        ],
      );
    if (known("mass")) pair("spring", "translational.spring", "spring", "ground", "mass");
    if (known("motor")) {
      pair("spring", "rotational.spring", "spring", "motor", "load");
      pair("damper", "rotational.damper", "damper", "motor", "load");
      component("torque", "rotational.torque", [{ primitive: "arrow", size: [], ends: [end("motor")] }]);
    }
    if (known("front.wheel"))
      for (const side of ["front", "rear"]) {
        pair(`${side}.spring`, "translational.spring", "spring", `${side}.wheel`, "body");
        pair(`${side}.damper`, "translational.damper", "damper", `${side}.wheel`, "body");
        pair(`${side}.tyre`, "translational.spring", "spring", `${side}_road`, `${side}.wheel`);
        component(`${side}_bump`, "translational.motion", [
          { primitive: "arrow", size: [], ends: [end(`${side}_road`)] },
        ]);
      }
  }
  return {
    scene: { gravity: known("mass") || known("motor") ? null : [0, 0, -9.81], nodes, components },
    pieces,
  };
}

function plots_of(model, columns) {
  const out = [];
  for (const line of model.slice(model.indexOf("\nplots:")).split("\n")) {
    const found = /- \{title: "?(.*?)"?,(?: x: ([\w.]+),)? y: (.*)\}/.exec(line);
    if (!found) continue;
    const patterns = found[3]
      .replace(/[[\]"]/g, "")
      .split(",")
      .map((p) => p.trim());
    const y = columns.filter((name) =>
      patterns.some(
        (p) =>
          name === p ||
          name === `${p}.output` ||
          new RegExp(`^${p.replace(/\./g, "\\.").replace(/\*/g, ".*")}$`).test(name),
      ),
    );
    out.push({ title: found[1], x: found[2] ?? "time", y });
  }
  return out;
}

function run_of(path) {
  const model = readFileSync(join(path, "model.yaml"), "utf8");
  const summary = JSON.parse(readFileSync(join(path, "summary.json"), "utf8"));
  const [head, ...lines] = readFileSync(join(path, "results.csv"), "utf8").trim().split("\n");
  const columns = head.split(",");
  const rows = lines.map((line) => line.split(",").map(Number));
  const column = (name) => rows.map((row) => row[columns.indexOf(name)]);
  const time = column("time");
  const { scene, pieces } = scene_of(model, columns);
  const every = Math.max(1, Math.floor(rows.length / 1000));
  const frames = rows.filter((_, i) => i % every === 0);
  const picked = ["time", ...pieces].map((name) => columns.indexOf(name));
  const motion = Float32Array.from(frames.flatMap((row) => picked.map((i) => row[i])));
  const buckets = Array.from({ length: 60 }, (_, i) => ((i + 1) * time[time.length - 1]) / 60);
  return {
    name: basename(path),
    title: summary.title ?? "",
    model,
    summary: {
      energy: { start: 1, end: 2, supplied: 1.5, dissipated: 0.5, error: 1e-6, largest: 3 },
      ...summary,
    },
    plots: plots_of(model, columns),
    rows: rows.length,
    time: { block: put(Float64Array.from(time)), thinned: false },
    channels: columns.slice(1).map((name) => {
      const values = column(name);
      const offset = values[0] || 0;
      return {
        name,
        unit: unit_of(name),
        summary: "",
        block: put(Float32Array.from(values, (v) => v - offset)),
        offset,
        min: values.reduce((a, b) => Math.min(a, b)),
        max: values.reduce((a, b) => Math.max(a, b)),
      };
    }),
    scene,
    motion: pieces.length ? { block: put(motion), frames: frames.length, columns: picked.length } : null,
    history: {
      time: buckets,
      smallest_step: buckets.map(() => summary.step_sizes?.[0] ?? 1e-3),
      largest_step: buckets.map((_, i) => (summary.step_sizes?.[0] ?? 1e-3) * (1 + (i % 3))),
      iterations: buckets.map((_, i) => 2 + (i % 4)),
      factorizations: buckets.map((_, i) => i % 9),
    },
  };
}

const report = { format: 1, kind: other ? "comparison" : "run", version: "0.1.0", runs: [run_of(folder)] };
if (other) {
  report.runs.push(run_of(other));
  report.norms = report.runs[0].channels.map((c, i) => ({
    channel: c.name,
    unit: c.unit,
    largest: (c.max - c.min) / (i + 3),
    at: i / 10,
    rms: (c.max - c.min) / (i + 9),
    relative: c.max > c.min ? 1 / (i + 9) : null,
  }));
}
const escape = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const data = [
  `<script type="application/json" id="report">${JSON.stringify(report).replace(/</g, "\\u003c")}</script>`,
  ...blocks.map((block, k) => `<script type="application/octet-stream" id="block-${k}">${block}</script>`),
].join("\n");
const page = readFileSync(template, "utf8")
  .replace("<!--ESCAPEMENT-TITLE-->", () => escape(report.runs[0].title))
  .replace("<!--ESCAPEMENT-DATA-->", () => data);
writeFileSync(output, page);
