// The view of the mechanism: camera, light, ground, trails, arrows, labels.
import {
  AmbientLight,
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  Float32BufferAttribute,
  Group,
  HemisphereLight,
  Line,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  PerspectiveCamera,
  PlaneGeometry,
  Quaternion,
  Raycaster,
  Scene as Space,
  ShadowMaterial,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { common_range, type Range } from "./beams";
import { ColourBar } from "./colour_bar";
import type { RunData } from "./decode";
import { css_colour, h } from "./dom";
import { measures, type Measure } from "./measures";
import { extent, Mechanism } from "./mechanism";
import { solid_colour } from "./palette";
import { Poses } from "./poses";
import { arrow, bent_arrow, Looks } from "./shapes";
import { state } from "./state";
import { quantity } from "./units";

export type Direction = "fit" | "front" | "top" | "side";

interface ForceArrow {
  object: Group;
  channels: [string, string, string];
  component: number;
  end: number;
  axes: number | null;
  largest: number; // of its kind
  kind: "force" | "torque";
}

/** Squares in the plane of x and y that fade out. */
function floor_grid(cell: number, cells: number, tint: Color): LineSegments {
  const points: number[] = [];
  const tints: number[] = [];
  const half = cells / 2;
  const put = (i: number, j: number) => {
    points.push((i - half) * cell, (j - half) * cell, 0);
    const away = Math.hypot(i - half, j - half) / half;
    tints.push(tint.r, tint.g, tint.b, away < 1 ? (1 - away * away) ** 1.5 : 0);
  };
  for (let i = 0; i <= cells; ++i)
    for (let j = 0; j < cells; ++j) {
      put(i, j);
      put(i, j + 1);
      put(j, i);
      put(j + 1, i);
    }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(points, 3));
  geometry.setAttribute("color", new Float32BufferAttribute(tints, 4));
  const material = new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
  return new LineSegments(geometry, material);
}

export function can_draw(run: RunData): boolean {
  const scene = run.run.scene;
  if (!scene || !run.motion || !scene.nodes.length) return false;
  return scene.components.some((c) => c.parts.some((p) => p.ends.some((e) => e.node !== null)));
}

export class View3d {
  readonly element = h("div", { class: "view3d" });
  private readonly bar = new ColourBar();
  private readonly ranges = new Map<Measure, Range>();
  private readonly grid_note = h("span", { class: "grid-note" });
  readonly poses: Poses;
  readonly mechanism: Mechanism;
  readonly size: number; // m, of the mechanism at one time
  selected: number | null = null;
  on_select: (node: number | null) => void = () => {};
  following: number | null = null;
  show_forces = false;
  show_velocities = false;
  show_labels = false;
  private readonly renderer: WebGLRenderer;
  private readonly space = new Space();
  private readonly camera = new PerspectiveCamera(28, 1, 0.01, 1000);
  private readonly controls: OrbitControls;
  private readonly ghost: { poses: Poses; mechanism: Mechanism } | null = null;
  private readonly sweep: Box3;
  private readonly points: Vector3[];
  private readonly focus: Box3; // what the camera is fitted to
  private readonly up: Vector3;
  private grid: LineSegments | null = null;
  private readonly ground_height: number;
  private readonly trails: Line[] = [];
  private trail_mode: "none" | "selected" | "all" = "none";
  private readonly forces: ForceArrow[] = [];
  private readonly velocities: Group[] = [];
  private fastest = 0;
  private readonly labels: HTMLElement[] = [];
  private dirty = true;
  private readonly followed = new Vector3();

  constructor(
    private readonly run: RunData,
    other: RunData | null,
  ) {
    const scene = run.run.scene!;
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio || 1));
    this.renderer.shadowMap.enabled = true;
    const canvas = this.renderer.domElement;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute(
      "aria-label",
      "Moving picture of the mechanism. Drag to turn it, click a body to select it.",
    );
    this.element.append(canvas, this.bar.element, this.grid_note);

    this.poses = new Poses(run, scene);
    const { sweep, instant, points, start } = extent(this.poses);
    this.points = points;
    this.sweep = sweep.isEmpty() ? new Box3(new Vector3(-1, -1, -1), new Vector3(1, 1, 1)) : sweep;
    const whole = this.sweep.getSize(new Vector3()).length() || 1;
    this.size = instant > 1e-6 * whole ? instant : whole;
    const g = new Vector3(...(scene.gravity ?? [0, 0, 0]));
    this.up = g.length() > 0 ? g.normalize().negate() : new Vector3(0, 0, 1);
    const mark = 0.022 * Math.min(this.size, whole);
    this.mechanism = new Mechanism(this.poses, mark, this.up, false);
    this.space.add(this.mechanism.group);
    if (other && can_draw(other)) {
      const names = (r: RunData) => r.run.scene!.nodes.map((n) => `${n.name} ${n.domain}`).join("\n");
      if (names(run) === names(other)) {
        const poses = new Poses(other, other.run.scene!);
        this.ghost = { poses, mechanism: new Mechanism(poses, mark, this.up, true) };
        this.space.add(this.ghost.mechanism.group);
      }
    }

    // A mechanism that travels far is followed, close by.
    this.focus = this.sweep.clone();
    const travels = whole > 3.5 * this.size && this.mechanism.bodies.length > 0 && !this.poses.layout;
    if (whole > 2 * this.size && !this.poses.layout) this.trail_mode = "all";
    if (travels) {
      this.following = this.main_body();
      this.poses.set(state.time);
      const c = this.poses.position[this.following].clone();
      this.travel_start = c;
      this.focus = start.clone().expandByScalar(0.12 * this.size);
    }
    const corners = this.corners(this.sweep);
    const lowest = Math.min(...corners.map((c) => c.dot(this.up)));
    this.ground_height = lowest - (this.mechanism.feet ? 2.4 * mark : 0.02 * whole);
    if (this.rolls()) this.ground_height = Math.abs(lowest) < 0.1 * this.size ? 0 : lowest;

    this.light(whole);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.enableZoom = false;
    canvas.addEventListener("pointerdown", () => canvas.focus({ preventScroll: true }));
    canvas.addEventListener("focus", () => (this.controls.enableZoom = true));
    canvas.addEventListener("blur", () => (this.controls.enableZoom = false));
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.make_trails();
    this.make_forces();
    this.make_velocities();
    this.make_labels();
    this.picking(canvas);
    this.theme();
    new ResizeObserver(() => this.resize()).observe(this.element);
    state.on("time", () => this.refresh());
    state.on("theme", () => this.theme());
    addEventListener("beforeprint", () => this.render());
    this.look("fit");
    this.refresh();
    const loop = () => {
      requestAnimationFrame(loop);
      if (this.dirty && this.element.clientWidth) this.render();
    };
    loop();
  }

  private rolls(): boolean {
    return this.poses.scene.components.some((c) => /rolling|contact|knife/.test(c.type));
  }
  private corners(box: Box3): Vector3[] {
    const { min, max } = box;
    return Array.from(
      { length: 8 },
      (_, k) => new Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z),
    );
  }
  /** The one that most is connected to. */
  private main_body(): number {
    const degree = new Map<number, number>();
    for (const c of this.poses.scene.components)
      for (const p of c.parts)
        for (const e of p.ends) if (e.node !== null) degree.set(e.node, (degree.get(e.node) ?? 0) + 1);
    return this.mechanism.bodies.reduce((best, body) =>
      (degree.get(body.node) ?? 0) > (degree.get(best.node) ?? 0) ? body : best,
    ).node;
  }

  private light(whole: number): void {
    this.space.add(new HemisphereLight(0xffffff, 0x9aa0a8, 1.5), new AmbientLight(0xffffff, 0.3));
    const lamp = new DirectionalLight(0xffffff, 1.1); // goes with the camera
    lamp.position.set(0.4, 0.3, 1);
    this.camera.add(lamp);
    this.space.add(this.camera);
    const sun = new DirectionalLight(0xffffff, 1.7);
    const centre = this.focus.getCenter(new Vector3());
    const reach = Math.max(this.focus.getSize(new Vector3()).length(), 1e-9);
    const side = this.axes().right;
    sun.position
      .copy(centre)
      .addScaledVector(this.up, 1.6 * reach)
      .addScaledVector(side, -0.5 * reach)
      .addScaledVector(this.axes().front, 0.7 * reach);
    sun.target.position.copy(centre);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    sun.shadow.radius = 4;
    sun.shadow.intensity = 0.7;
    const camera = sun.shadow.camera;
    camera.left = camera.bottom = -0.8 * reach;
    camera.right = camera.top = 0.8 * reach;
    camera.near = 0.1 * reach;
    camera.far = 5 * reach;
    sun.shadow.normalBias = 0.002 * reach;
    this.space.add(sun, sun.target);
    this.sun = sun;
    const floor = new Mesh(new PlaneGeometry(20 * whole, 20 * whole), new ShadowMaterial({ opacity: 0.22 }));
    floor.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), this.up);
    floor.position.copy(this.up).multiplyScalar(this.ground_height);
    floor.receiveShadow = true;
    this.space.add(floor);
    this.sun_offset.copy(sun.position).sub(centre);
  }
  private sun: DirectionalLight | null = null;
  private readonly sun_offset = new Vector3();

  /** Right and towards the viewer, square to up. */
  private axes(): { right: Vector3; front: Vector3 } {
    const front = Math.abs(this.up.y) > 0.9 ? new Vector3(0, 0, 1) : new Vector3(0, -1, 0);
    front.addScaledVector(this.up, -front.dot(this.up)).normalize();
    return { front, right: this.up.clone().negate().cross(front).normalize() };
  }

  private theme(): void {
    if (this.grid) this.space.remove(this.grid);
    const size = this.sweep.getSize(new Vector3());
    const flat = size.clone().addScaledVector(this.up, -size.dot(this.up)).length();
    const span = 1.5 * Math.max(flat, 0.6 * Math.min(size.length(), 4 * this.size), 1e-9);
    const raw = Math.min(span / 10, this.size / 3);
    const power = 10 ** Math.floor(Math.log10(raw));
    const cell = [1, 2, 5, 10].map((k) => k * power).find((c) => c >= raw) ?? raw;
    const cells = Math.min(240, 2 * Math.ceil((1.4 * span) / cell / 2) + 2);
    const fat = this.mechanism.tubes.some((tube) => Math.max(...tube.thicker) > 1);
    this.grid_note.textContent = this.poses.layout
      ? ""
      : `${fat ? "thin beams drawn thicker, " : ""}grid ${quantity(cell, "m", 2)}`;
    this.grid = floor_grid(cell, cells, new Color(css_colour("--floor-line")));
    this.grid.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), this.up);
    const centre = this.sweep.getCenter(new Vector3());
    const snap = (v: number) => Math.round(v / cell) * cell;
    centre.set(snap(centre.x), snap(centre.y), snap(centre.z));
    centre.addScaledVector(this.up, this.ground_height - centre.dot(this.up));
    this.grid.position.copy(centre);
    this.space.add(this.grid);
    this.dirty = true;
  }

  private make_trails(): void {
    const { times } = this.poses;
    const every = Math.max(1, Math.floor(times.length / 4000));
    for (const body of this.mechanism.bodies) {
      const n = Math.floor((times.length - 1) / every) + 1;
      const points = new BufferAttribute(new Float32Array(3 * n), 3);
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", points);
      const tint = new Color(solid_colour(this.trails.length)).multiplyScalar(0.85);
      const line = new Line(geometry, new LineBasicMaterial({ color: tint }));
      line.visible = false;
      line.frustumCulled = false;
      line.userData = { node: body.node, every, filled: false };
      this.trails.push(line);
      this.space.add(line);
    }
  }
  private fill_trails(): void {
    const wanted = this.trails.filter((line) => line.visible && !line.userData.filled);
    if (!wanted.length) return;
    const { times } = this.poses;
    const every = this.trails[0].userData.every as number;
    for (let f = 0, k = 0; f < times.length; f += every, ++k) {
      this.poses.set(times[f]);
      for (const line of wanted) {
        const p = this.poses.position[line.userData.node as number];
        line.geometry.attributes.position.setXYZ(k, p.x, p.y, p.z);
      }
    }
    for (const line of wanted) {
      line.geometry.attributes.position.needsUpdate = true;
      line.userData.filled = true;
    }
    this.poses.set(state.time);
  }
  get trails_shown(): "none" | "selected" | "all" {
    return this.trail_mode;
  }
  set_trails(mode: "none" | "selected" | "all"): void {
    this.trail_mode = mode;
    this.refresh();
  }

  /** What beams can be coloured by. */
  get beam_measures(): { key: Measure; name: string; unit: string }[] {
    const { tubes } = this.mechanism;
    const bends = tubes.some((tube) => !tube.straight);
    return measures.filter(
      ({ key }) => tubes.some((tube) => tube.knows(key)) && (bends || key === "axial" || key === "stress"),
    );
  }
  /** Beams of which a measure is not known stay plain. */
  colour_beams(key: Measure | null): void {
    const { tubes } = this.mechanism;
    const knowing = tubes.filter((tube) => key !== null && tube.knows(key));
    if (key !== null && !this.ranges.has(key)) this.ranges.set(key, common_range(key, knowing));
    const range = key === null ? null : this.ranges.get(key)!;
    for (const tube of tubes)
      tube.paint(
        range && knowing.includes(tube) ? key : null,
        range ?? { signed: false, largest: 0, sign: 1 },
      );
    this.bar.show(measures.find((each) => each.key === key) ?? null, range);
    this.refresh();
  }

  get has_ghost(): boolean {
    return this.ghost !== null;
  }
  get has_forces(): boolean {
    return this.forces.length > 0;
  }
  private make_forces(): void {
    const largest = { force: 0, torque: 0 };
    const looks = { force: new Looks("#d55e00", false), torque: new Looks("#8a5fb5", false) };
    this.poses.scene.components.forEach((component, i) => {
      for (const a of component.arrows ?? []) {
        const channels = a.channels.map((name) => this.run.by_name.get(name));
        const part = component.parts[0];
        if (!channels.every((c) => c) || !part?.ends[a.end] || !this.poses.placed(part.ends)) continue;
        const reach = Math.hypot(...channels.map((c) => Math.max(Math.abs(c!.min), Math.abs(c!.max))));
        if (!(reach > 0)) continue;
        largest[a.kind] = Math.max(largest[a.kind], reach);
        const object = a.kind === "force" ? arrow(looks.force) : new Group();
        if (a.kind === "torque") {
          const bent = bent_arrow(looks.torque);
          bent.scale.setScalar(0.35);
          object.add(bent);
        }
        object.visible = false;
        this.forces.push({
          object,
          channels: a.channels,
          component: i,
          end: a.end,
          axes: a.axes,
          largest: 0,
          kind: a.kind,
        });
        this.space.add(object);
      }
    });
    for (const force of this.forces) force.largest = largest[force.kind];
  }

  private make_velocities(): void {
    const looks = new Looks("#009e73", false);
    for (let i = 0; i < this.mechanism.bodies.length; ++i) {
      const object = arrow(looks);
      object.visible = false;
      this.velocities.push(object);
      this.space.add(object);
    }
  }
  private velocity(node: number, t: number, out: Vector3): void {
    const { times } = this.poses;
    const step = Math.max(1e-9, (times[times.length - 1] - times[0]) / Math.max(1, times.length - 1));
    const from = Math.max(times[0], t - 0.5 * step);
    const to = Math.min(times[times.length - 1], t + 0.5 * step);
    this.poses.set(from);
    const before = this.poses.position[node].clone();
    this.poses.set(to);
    out.copy(this.poses.position[node]).sub(before);
    if (to > from) out.divideScalar(to - from);
  }

  private make_labels(): void {
    for (const body of this.mechanism.bodies) {
      const label = h("span", { class: "label3d", hidden: true }, body.name);
      this.labels.push(label);
      this.element.append(label);
    }
  }

  private picking(canvas: HTMLCanvasElement): void {
    const ray = new Raycaster();
    let from: [number, number] = [0, 0];
    canvas.addEventListener("pointerdown", (event) => (from = [event.clientX, event.clientY]));
    canvas.addEventListener("pointerup", (event) => {
      if (Math.hypot(event.clientX - from[0], event.clientY - from[1]) > 4) return;
      const box = canvas.getBoundingClientRect();
      const at = new Vector2(
        ((event.clientX - box.left) / box.width) * 2 - 1,
        1 - ((event.clientY - box.top) / box.height) * 2,
      );
      ray.setFromCamera(at, this.camera);
      const bodies = new Set(this.mechanism.bodies.map((body) => body.node));
      let found: number | null = null;
      for (const hit of ray.intersectObject(this.mechanism.group, true)) {
        if (!(hit.object instanceof Mesh)) continue;
        let object = hit.object.parent === this.mechanism.group ? hit.object : hit.object.parent;
        while (object && object.userData.node === undefined && object !== this.mechanism.group)
          object = object.parent;
        const node = object?.userData.node as number | undefined;
        if (node !== undefined && bodies.has(node)) {
          found = node;
          break;
        }
      }
      this.select(found);
    });
  }
  select(node: number | null): void {
    this.selected = node;
    this.mechanism.highlight(node);
    this.on_select(node);
    this.refresh();
  }
  follow(node: number | null): void {
    this.following = node;
    if (node !== null) this.followed.copy(this.poses.position[node]);
    this.dirty = true;
  }

  look(direction: Direction): void {
    const { right, front } = this.axes();
    const size = this.focus.getSize(new Vector3());
    const across = (v: Vector3) => Math.abs(size.x * v.x) + Math.abs(size.y * v.y) + Math.abs(size.z * v.z);
    const toward = new Vector3();
    if (direction === "front") toward.copy(front);
    else if (direction === "side") toward.copy(right);
    else if (direction === "top") toward.copy(this.up).addScaledVector(front, 0.001);
    else if (this.poses.layout)
      toward.copy(front).addScaledVector(this.up, 0.75).addScaledVector(right, 0.22);
    else {
      const flat = Math.max(across(right), across(this.up));
      const level = across(this.up) < 0.25 * Math.max(across(right), across(front)) && !this.travel_start;
      if (level) toward.copy(this.up).addScaledVector(front, 0.6).addScaledVector(right, 0.15);
      else if (across(front) < 0.3 * flat)
        toward.copy(front).addScaledVector(right, 0.38).addScaledVector(this.up, 0.26);
      else if (across(right) < 0.3 * Math.max(across(front), across(this.up)))
        toward.copy(right).addScaledVector(front, 0.38).addScaledVector(this.up, 0.26);
      else toward.copy(front).addScaledVector(right, 0.62).addScaledVector(this.up, 0.52);
    }
    toward.normalize();
    this.poses.set(state.time);
    const centre = this.focus.getCenter(new Vector3());
    const shift = new Vector3();
    if (this.travel_start) {
      shift.copy(this.poses.position[this.following ?? this.main_body()]).sub(this.travel_start);
      centre.add(shift);
    }
    if (this.following !== null) this.followed.copy(this.poses.position[this.following]);
    const vertical = Math.tan(((this.camera.fov / 2) * Math.PI) / 180);
    const horizontal = vertical * this.camera.aspect;
    const x = new Vector3().crossVectors(this.up, toward).normalize();
    const y = new Vector3().crossVectors(toward, x);
    const points = this.travel_start || this.points.length < 2 ? this.corners(this.focus) : this.points;
    const d = new Vector3();
    const middle = (axis: Vector3) => {
      let low = Infinity;
      let high = -Infinity;
      for (const point of points) {
        const s = d.copy(point).add(shift).sub(centre).dot(axis);
        low = Math.min(low, s);
        high = Math.max(high, s);
      }
      return 0.5 * (low + high);
    };
    const [mx, my] = [middle(x), middle(y)];
    centre.addScaledVector(x, mx).addScaledVector(y, my);
    let distance = 0;
    for (const point of points) {
      d.copy(point).add(shift).sub(centre);
      const depth = d.dot(toward);
      distance = Math.max(
        distance,
        Math.abs(d.dot(x)) / (0.86 * horizontal) + depth,
        Math.abs(d.dot(y)) / (0.8 * vertical) + depth,
      );
    }
    distance = Math.max(distance, 1e-6);
    this.camera.position.copy(centre).addScaledVector(toward, distance);
    this.controls.target.copy(centre);
    const whole = this.sweep.getSize(new Vector3()).length();
    this.camera.near = distance / 200;
    this.camera.far = distance * 20 + 4 * whole;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.dirty = true;
    this.fitted = direction;
  }
  private fitted: Direction = "fit";
  private touched = false;
  private travel_start: Vector3 | null = null; // of the body that the box is about

  resize(): void {
    const width = this.element.clientWidth;
    const height = this.element.clientHeight;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (!this.touched) {
      this.look(this.fitted);
      this.controls.addEventListener("start", () => (this.touched = true));
    }
    this.dirty = true;
  }

  refresh(): void {
    for (const line of this.trails)
      line.visible =
        this.trail_mode === "all" ||
        (this.trail_mode === "selected" && line.userData.node === (this.selected ?? this.following));
    this.fill_trails();
    const t = state.time;
    if (this.show_velocities) {
      const v = new Vector3();
      if (!this.fastest) {
        const { times } = this.poses;
        const every = Math.max(1, Math.floor(times.length / 100));
        for (let f = 0; f < times.length; f += every)
          for (const body of this.mechanism.bodies) {
            this.velocity(body.node, times[f], v);
            this.fastest = Math.max(this.fastest, v.length());
          }
      }
      this.mechanism.bodies.forEach((body, i) => {
        this.velocity(body.node, t, v);
        this.poses.set(t);
        this.place_arrow(this.velocities[i], this.poses.position[body.node], v, 0.3 / (this.fastest || 1));
      });
    } else {
      this.velocities.forEach((object) => (object.visible = false));
    }
    this.poses.set(t);
    this.mechanism.update();
    if (this.ghost) {
      this.ghost.poses.set(t);
      this.ghost.mechanism.update();
    }
    const p = new Vector3();
    const q = new Quaternion();
    const f = new Vector3();
    for (const force of this.forces) {
      force.object.visible = false;
      if (!this.show_forces) continue;
      const ends = this.poses.scene.components[force.component].parts[0].ends;
      f.set(...(force.channels.map((c) => this.run.at(c, t)) as [number, number, number]));
      if (force.axes !== null) {
        this.poses.end(ends[force.axes] ?? ends[0], false, p, q);
        f.applyQuaternion(q);
      }
      this.poses.end(ends[force.end], false, p, q);
      this.place_arrow(force.object, p, f, (force.kind === "force" ? 0.3 : 0.14) / force.largest);
    }
    if (this.following !== null) {
      const delta = this.poses.position[this.following].clone().sub(this.followed);
      this.camera.position.add(delta);
      this.controls.target.add(delta);
      this.followed.add(delta);
      this.controls.update();
      if (this.sun) {
        this.sun.target.position.copy(this.followed);
        this.sun.position.copy(this.followed).add(this.sun_offset);
      }
    }
    for (const line of this.trails) {
      if (!line.visible) continue;
      const { times } = this.poses;
      const shown =
        times.length > 1
          ? ((t - times[0]) / (times[times.length - 1] - times[0])) * line.geometry.attributes.position.count
          : 0;
      line.geometry.setDrawRange(0, Math.max(0, Math.ceil(shown)));
    }
    this.dirty = true;
  }

  private place_arrow(object: Group, at: Vector3, value: Vector3, scale: number): void {
    const length = value.length() * scale * this.size;
    object.visible = Number.isFinite(length) && length > 0.004 * this.size;
    if (!object.visible) return;
    object.position.copy(at);
    object.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), value.clone().normalize());
    const thick = Math.max(length, 0.12 * this.size);
    object.scale.set(thick, thick, length);
  }

  render(): void {
    this.dirty = false;
    this.renderer.render(this.space, this.camera);
    const width = this.element.clientWidth;
    const height = this.element.clientHeight;
    const p = new Vector3();
    this.mechanism.bodies.forEach((body, i) => {
      const label = this.labels[i];
      const on = this.show_labels || this.selected === body.node;
      p.copy(this.poses.position[body.node]).project(this.camera);
      const inside = on && p.z < 1 && Math.abs(p.x) < 1 && Math.abs(p.y) < 1;
      label.hidden = !inside;
      if (inside)
        label.style.transform = `translate(${((p.x + 1) * width) / 2 + 8}px, ${((1 - p.y) * height) / 2 - 22}px)`;
    });
  }
}
