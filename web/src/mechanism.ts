// The picture of a mechanism: what moves with a node, and what stretches between two ends.
import { Box3, BoxGeometry, Group, Mesh, Object3D, Quaternion, SphereGeometry, Vector3 } from "three";
import { chains, fineness, Tube } from "./beams";
import type { Component, End, Part, Scene } from "./data";
import { outline as section } from "./outline";
import { solid_colour } from "./palette";
import type { Poses } from "./poses";
import { along_z, arrow, bent_arrow, foot, Helix, joint_mark, Looks, sized, solid } from "./shapes";

const metal = "#8f99a3";
const dark_metal = "#5f6a74";
const spring_tint = "#7d8b98";
const force_tint = "#d55e00";
const z_axis = new Vector3(0, 0, 1);

/** Points around a part, in its axes. */
function outline(part: Part): Vector3[] {
  const [a = 0, b = 0, c = 0] = part.size;
  const corners = (x: number, y: number, z: number) =>
    Array.from({ length: 8 }, (_, k) => new Vector3(k & 1 ? x : -x, k & 2 ? y : -y, k & 4 ? z : -z));
  const rims = (radius: number, from: number, to: number) =>
    Array.from({ length: 24 }, (_, k) => {
      const angle = (Math.PI / 6) * (k >> 1);
      return new Vector3(radius * Math.cos(angle), radius * Math.sin(angle), k & 1 ? to : from);
    });
  if (part.size.some((v) => !Number.isFinite(v))) return [new Vector3()];
  switch (part.primitive) {
    case "box":
      return corners(a / 2, b / 2, c / 2);
    case "cylinder":
      return rims(a, -b / 2, b / 2);
    case "capsule":
      return [...rims(a, -b / 2, b / 2), new Vector3(0, 0, a + b / 2), new Vector3(0, 0, -a - b / 2)];
    case "tube":
      return rims(b, -c / 2, c / 2);
    case "cone":
      return [...rims(a, 0, 0), new Vector3(0, 0, b)];
    case "sphere":
      return [
        ...rims(a, 0, 0),
        ...rims(0.7 * a, -0.7 * a, 0.7 * a),
        new Vector3(0, 0, a),
        new Vector3(0, 0, -a),
      ];
    case "wheel":
      return rims(a, -b, b);
    default:
      return [new Vector3()];
  }
}

function is_planar(scene: Scene, component: Component): boolean {
  return component.parts.some((part) =>
    part.ends.some((end) => end.node !== null && scene.nodes[end.node].domain === "planar"),
  );
}

export function is_body(component: Component): boolean {
  return /^body\.|\.mass$|\.inertia$/.test(component.type);
}

/** Where something is fastened to a body, in its axes. */
function fastened(scene: Scene, node: number): Vector3[] {
  const out: Vector3[] = [];
  for (const component of scene.components) {
    if (is_body(component)) continue;
    for (const part of component.parts)
      for (const end of part.ends) if (end.node === node) out.push(new Vector3(...end.position));
  }
  return out;
}

/** A rigid body's box has its inertia, not its shape: left out where a wheel or its joints tell more. */
function misleading(scene: Scene): Set<Part> {
  const out = new Set<Part>();
  for (const component of scene.components) {
    if (component.type !== "body.rigid") continue;
    for (const part of component.parts) {
      const node = part.ends[0]?.node ?? null;
      if (node === null || part.primitive !== "box") continue;
      const wheel = scene.components.some((c) =>
        c.parts.some((p) => p.primitive === "wheel" && p.ends[0]?.node === node),
      );
      const reach = Math.max(0, ...fastened(scene, node).map((place) => place.length()));
      if (wheel || (reach > 0 && Math.hypot(...part.size) > 0.7 * reach)) out.add(part);
    }
  }
  return out;
}

export interface Extent {
  sweep: Box3; // of the whole motion
  instant: number; // m, the largest diagonal at one time
  points: Vector3[]; // some of the sweep, to fit the camera to
  start: Box3; // at the beginning
}

/** Of all that can be drawn, over the whole motion. */
export function extent(poses: Poses): Extent {
  const { scene, times } = poses;
  const sweep = new Box3();
  let instant = 0;
  const points: Vector3[] = [];
  const every = Math.ceil((times.length * scene.components.length) / 600);
  const p = new Vector3();
  const q = new Quaternion();
  const corner = new Vector3();
  const samples = Math.min(times.length, 160);
  const pad = poses.layout ? 0.3 * poses.layout.pitch : 0;
  const fat = 2 * pad * (poses.layout?.girth ?? 1);
  const cube = outline({ primitive: "box", size: [2 * pad, fat, fat], ends: [] });
  const centre = [new Vector3()];
  const outlines = new Map<Part, Vector3[]>();
  const hidden = misleading(scene);
  for (const component of scene.components) {
    for (const part of component.parts)
      outlines.set(part, hidden.has(part) || part.ends.length !== 1 ? centre : outline(part));
    // Beams are as thick as at their ends.
    const pieces = component.parts.filter((part) => part.beam !== undefined);
    for (const part of [...pieces.slice(0, 1), ...pieces.slice(-1)]) {
      const beam = scene.beams?.[part.beam!];
      if (!beam) continue;
      const [y, z] = section(beam.outline, beam.size, 4).reach;
      outlines.set(
        part,
        [-y, y].flatMap((v) => [-z, z].map((w) => new Vector3(0, v, w))),
      );
    }
  }
  const start = new Box3();
  for (let s = 0; s < samples; ++s) {
    poses.set(times[Math.round((s * (times.length - 1)) / Math.max(1, samples - 1))]);
    const now = new Box3();
    const bodies = new Box3(); // without the ground's side of joints, which what travels leaves behind
    const kept = s % Math.max(1, Math.min(every, 20)) === 0;
    for (const component of scene.components) {
      const planar = is_planar(scene, component);
      for (const part of component.parts) {
        if (!poses.placed(part.ends)) continue;
        for (const end of part.ends) {
          if (poses.layout && end.node === null) continue;
          poses.end(end, planar, p, q);
          if (!Number.isFinite(p.x + p.y + p.z)) continue;
          const left_behind = end.node === null && component.type.startsWith("joint.");
          for (const point of poses.layout ? cube : outlines.get(part)!) {
            corner.copy(point).applyQuaternion(q).add(p);
            now.expandByPoint(corner);
            if (!left_behind) bodies.expandByPoint(corner);
            if (kept) points.push(corner.clone());
          }
        }
      }
    }
    if (now.isEmpty()) continue;
    const size = bodies.isEmpty() ? now : bodies;
    instant = Math.max(instant, size.getSize(corner).length());
    sweep.union(now);
    if (s === 0) start.copy(size);
  }
  if (poses.layout?.wall) {
    const L = poses.layout.pitch;
    for (const y of [poses.layout.wall.low - 0.3 * L, poses.layout.wall.high + 0.3 * L])
      for (const z of [-0.35 * L, 0.35 * L]) points.push(new Vector3(-0.08 * L, y, z));
    for (const point of points) sweep.expandByPoint(point);
  }
  return { sweep, instant, points, start };
}

export class Mechanism {
  readonly group = new Group();
  feet = 0; // how many stand on the ground
  readonly bodies: { node: number; name: string; component: Component }[] = [];
  readonly tubes: Tube[] = [];
  private readonly moving: { object: Object3D; end: End; planar: boolean; turn: boolean }[] = [];
  private readonly stretched: ((p: Vector3, q: Vector3) => void)[] = [];
  private readonly pairs: { ends: [End, End]; planar: boolean; lane: number | null }[] = [];
  private readonly highlighted: Looks[] = [];
  private readonly looks_of_node = new Map<number, Looks[]>();
  private readonly tints = new Map<string, number>();
  private readonly a = new Vector3();
  private readonly b = new Vector3();
  private readonly q = new Quaternion();

  constructor(
    readonly poses: Poses,
    private readonly mark: number,
    private readonly up: Vector3,
    private readonly ghost: boolean,
  ) {
    if (poses.layout) this.build_row();
    else this.build();
    this.update();
  }

  /** Bodies that only differ in the path before their name look alike. */
  private tint(name: string): string {
    const key =
      name
        .split(".")
        .filter((part) => !/^\d+$/.test(part))
        .pop() ?? name;
    return this.tint_of(key);
  }
  private tint_of(key: string): string {
    if (!this.tints.has(key)) this.tints.set(key, this.tints.size);
    return solid_colour(this.tints.get(key)!);
  }
  private looks(tint: string, sheet = false): Looks {
    return new Looks(tint, this.ghost, sheet);
  }

  private attach(object: Object3D, end: End, planar: boolean, turn = true): void {
    if (end.node !== null) object.userData.node = end.node;
    this.moving.push({ object, end, planar, turn });
    this.group.add(object);
  }

  private build(): void {
    const { scene } = this.poses;
    const m = this.mark;
    const joint_looks = this.looks(metal);
    const ground_looks = this.looks(dark_metal);
    const sheet = this.looks("#7aa6c8", true);
    const force_looks = this.looks(force_tint);
    const hidden = misleading(scene);
    const solids = new Map<number, Box3>(); // of nodes, in their axes
    const feet = new Set<string>();
    const fine = fineness(
      scene.components.reduce((sum, c) => sum + c.parts.filter((p) => p.beam !== undefined).length, 0),
    );
    const note_solid = (part: Part, end: End) => {
      const box = solids.get(end.node!) ?? new Box3();
      const q = new Quaternion(end.quaternion[1], end.quaternion[2], end.quaternion[3], end.quaternion[0]);
      for (const point of outline(part))
        box.expandByPoint(point.applyQuaternion(q).add(this.a.fromArray(end.position)));
      solids.set(end.node!, box);
    };
    for (const component of scene.components) {
      const planar = is_planar(scene, component);
      this.add_beam(component, planar, fine);
      for (const part of component.parts) {
        if (!this.poses.placed(part.ends)) continue;
        const [end, other] = part.ends;
        if (part.beam !== undefined) {
          // drawn in one piece
        } else if (is_body(component) && part.ends.length === 1) {
          const looks = this.looks(this.tint(component.name));
          const object = hidden.has(part) ? null : sized(part.primitive, part.size, looks);
          if (end.node === null) {
            const key = end.position.join(" ");
            if (!feet.has(key)) this.add_foot(end, planar, ground_looks);
            feet.add(key);
            continue;
          }
          this.looks_of_node.set(end.node, [...(this.looks_of_node.get(end.node) ?? []), looks]);
          if (!this.bodies.some((body) => body.node === end.node))
            this.bodies.push({ node: end.node, name: component.name, component });
          if (object) {
            note_solid(part, end);
            this.attach(object, end, planar);
          } else {
            const ball = solid(new SphereGeometry((planar ? 1.6 : 1.1) * m, 28, 18), looks, false);
            this.attach(ball, end, planar);
          }
        } else if (part.primitive === "wheel" || (part.size.length && part.ends.length === 1)) {
          const object = sized(
            part.primitive,
            part.size,
            this.looks(end.node === null ? "#6d7781" : this.tint(scene.nodes[end.node].name)),
          );
          if (object) this.attach(object, end, planar);
          if (object && end.node !== null) note_solid(part, end);
        } else if (part.ends.length >= 2 && /distance$/.test(component.type)) {
          this.stretch(this.rod(0.32 * m, this.looks(metal)), [end, other], planar);
          for (const e of [end, other])
            this.attach(solid(new SphereGeometry(0.7 * m, 20, 14), joint_looks, false), e, planar);
        } else if (part.ends.length >= 2 && component.type.startsWith("joint.")) {
          this.attach(joint_mark(component.type, m, joint_looks, sheet), end, planar);
        } else if (part.ends.length >= 2) {
          const kind = part.primitive === "none" ? "rod" : part.primitive;
          this.stretch(this.link(kind, component, m), [end, other], planar);
        } else if (part.primitive === "arrow") {
          const object = arrow(force_looks);
          object.scale.setScalar(4 * m);
          this.attach(object, end, planar);
        } else if (part.primitive !== "none" && part.primitive !== "block") {
          this.attach(joint_mark(component.type, 0.8 * m, joint_looks, sheet), end, planar);
        }
        for (const e of part.ends) {
          if (e.node !== null || part.ends.length < 2) continue;
          if (/point_on_plane|joint\.planar|bushing/.test(component.type)) continue;
          const key = e.position.join(" ");
          if (!feet.has(key)) this.add_foot(e, planar, ground_looks);
          feet.add(key);
        }
      }
    }

    // Links lead from a body to where it is held, if that is outside of what is drawn of it.
    for (const body of this.bodies) {
      const looks = this.looks_of_node.get(body.node)![0];
      const solid_box = solids.get(body.node)?.expandByScalar(0.5 * m);
      const seen = new Set<string>();
      for (const place of fastened(scene, body.node)) {
        const key = place
          .toArray()
          .map((v) => v.toPrecision(6))
          .join(" ");
        if (place.length() < 0.2 * m || solid_box?.containsPoint(place) || seen.has(key)) continue;
        seen.add(key);
        const link = solid(along_z(0.42 * m, place.length()), looks, false);
        link.quaternion.setFromUnitVectors(z_axis, place.clone().normalize());
        link.position.copy(place).multiplyScalar(0.5);
        const holder = new Group();
        holder.add(link);
        this.attach(
          holder,
          { node: body.node, position: [0, 0, 0], quaternion: [1, 0, 0, 0] },
          scene.nodes[body.node].domain === "planar",
        );
      }
    }
  }

  /** Beams are selected, named and followed by their middle. */
  private add_beam(component: Component, planar: boolean, fine: { rings: number; sides: number }): void {
    const { scene } = this.poses;
    for (const pieces of chains(scene, component)) {
      if (!pieces.every(({ a, b }) => this.poses.placed([a, b]))) continue;
      const { outline: shape, size } = pieces[0].beam;
      const looks = this.looks(this.tint_of(`${shape} ${size.join(" ")}`)); // those of one section look alike
      const tube = new Tube(this.poses, pieces, planar, looks, fine, 0.15 * this.mark);
      this.tubes.push(tube);
      this.group.add(tube.mesh);
      const node = tube.middle;
      if (node === null) continue;
      tube.mesh.userData.node = node;
      this.looks_of_node.set(node, [...(this.looks_of_node.get(node) ?? []), looks]);
      if (!this.bodies.some((body) => body.component === component))
        this.bodies.push({ node, name: component.name, component });
    }
  }

  private add_foot(end: End, planar: boolean, looks: Looks): void {
    ++this.feet;
    const object = foot(this.mark, looks);
    object.quaternion.setFromUnitVectors(z_axis, this.up);
    this.attach(object, end, planar, false);
  }

  /** Sliders and shafts in a row along x. */
  private build_row(): void {
    const { scene, layout } = this.poses;
    if (!layout) return;
    const L = layout.pitch;
    const fat = layout.girth;
    const shaft_looks = this.looks(metal);
    scene.components.forEach((component, i) => {
      for (const part of component.parts) {
        if (!this.poses.placed(part.ends)) continue;
        const [end, other] = part.ends;
        if (part.ends.length === 1 && end.node !== null) {
          const place = layout.places[end.node]!;
          const rotational = scene.nodes[end.node].domain === "rotational";
          const wide = place.high - place.low;
          if (is_body(component)) {
            const looks = this.looks(this.tint(component.name));
            this.looks_of_node.set(end.node, [looks]);
            this.bodies.push({ node: end.node, name: component.name, component });
            this.attach(
              rotational
                ? this.disc(L, wide, looks)
                : solid(new BoxGeometry(0.42 * L, 0.42 * L * fat + wide, 0.42 * L * fat), looks),
              { ...end, position: [0, 0, 0], quaternion: [1, 0, 0, 0] },
              false,
            );
          } else if (part.primitive === "arrow" || /\.(force|torque|motion)$/.test(component.type)) {
            const object = rotational ? bent_arrow(this.looks(force_tint)) : arrow(this.looks(force_tint));
            const holder = new Group();
            object.quaternion.setFromUnitVectors(z_axis, new Vector3(1, 0, 0));
            object.scale.setScalar(rotational ? 0.42 * L : 0.4 * L);
            object.position.set(rotational ? -0.2 * L : -0.1 * L, 0, rotational ? 0 : 0.34 * L);
            holder.add(object);
            this.attach(holder, { ...end, position: [0, 0, 0], quaternion: [1, 0, 0, 0] }, false, false);
          }
        } else if (part.ends.length >= 2) {
          const rotational = part.ends.some(
            (e) => e.node !== null && scene.nodes[e.node].domain === "rotational",
          );
          const m = (rotational ? 0.05 : 0.055) * L;
          const kind = part.primitive === "none" ? "rod" : part.primitive;
          this.stretch(this.link(kind, component, m), [end, other], false, layout.lane.get(i) ?? 0);
        }
      }
    });
    // A shaft through each disc, and a wall where something is fastened to the ground.
    scene.nodes.forEach((node, n) => {
      if (node.domain !== "rotational") return;
      const shaft = solid(along_z(0.035 * L, 0.5 * L), shaft_looks);
      shaft.rotation.y = Math.PI / 2;
      const holder = new Group();
      holder.add(shaft);
      this.attach(holder, { node: n, position: [0, 0, 0], quaternion: [1, 0, 0, 0] }, false);
    });
    if (layout.wall) {
      const wide = layout.wall.high - layout.wall.low + 0.6 * L;
      const wall = solid(new BoxGeometry(0.08 * L, wide * fat, 0.7 * L * fat), this.looks(dark_metal));
      wall.position.set(-0.04 * L, 0.5 * (layout.wall.low + layout.wall.high), 0);
      this.group.add(wall);
    }
  }

  private disc(L: number, wide: number, looks: Looks): Group {
    const group = new Group();
    const radius = Math.max(0.34 * L, 0.5 * wide + 0.14 * L);
    const disc = solid(along_z(radius, 0.16 * L), looks);
    disc.rotation.y = Math.PI / 2;
    const pin = solid(new BoxGeometry(0.18 * L, 0.06 * L, 0.62 * radius), this.looks("#f4f6f8"));
    pin.position.z = 0.62 * radius;
    group.add(disc, pin);
    return group;
  }

  private rod(radius: number, looks: Looks): (p: Vector3, q: Vector3) => void {
    const mesh = solid(along_z(radius, 1), looks, false);
    mesh.geometry.translate(0, 0, 0.5);
    this.group.add(mesh);
    return (p, q) => this.span(mesh, p, q, 1);
  }

  private span(object: Object3D, p: Vector3, q: Vector3, thick: number): number {
    const direction = q.clone().sub(p);
    const length = Math.max(direction.length(), 1e-9);
    object.position.copy(p);
    object.quaternion.setFromUnitVectors(z_axis, direction.multiplyScalar(1 / length));
    object.scale.set(thick, thick, length);
    return length;
  }

  /** Something that stretches, by what it is. */
  private link(kind: string, component: Component, m: number): (p: Vector3, q: Vector3) => void {
    if (kind === "spring") {
      const coil = new Helix(this.looks(spring_tint), 1.5 * m, 0.17, this.pairs.length > 60);
      this.group.add(coil.mesh);
      return (p, q) => {
        coil.stretch(this.span(coil.mesh, p, q, 1));
        coil.mesh.scale.setScalar(1);
      };
    }
    if (kind === "damper") {
      const looks = this.looks("#a7895a");
      const thin = solid(along_z(0.4 * m, 1), this.looks(metal), false);
      const thick = solid(along_z(1.25 * m, 1), looks);
      thin.geometry.translate(0, 0, 0.5);
      thick.geometry.translate(0, 0, 0.5);
      thick.children.forEach((child) => child.position.set(0, 0, 0.5));
      const lead = solid(along_z(0.4 * m, 1), this.looks(metal), false);
      lead.geometry.translate(0, 0, 0.5);
      this.group.add(thin, thick, lead);
      let mean = 0;
      return (p, q) => {
        mean ||= p.distanceTo(q);
        const direction = q.clone().sub(p).normalize();
        const from = p.clone().addScaledVector(direction, Math.min(0.25 * mean, 0.4 * p.distanceTo(q)));
        const to = from.clone().addScaledVector(direction, Math.min(0.4 * mean, 0.9 * from.distanceTo(q)));
        this.span(lead, p, from, 1);
        this.span(thick, from, to, 1);
        this.span(thin, from, q, 1);
      };
    }
    const looks = this.looks(kind === "gear" ? "#b58a3c" : metal);
    if (/^(rotational|translational)\./.test(component.type) && kind !== "rod") {
      // A box in the middle of a thin rod: friction, backlash, end stops, gears.
      const rod = this.rod(0.35 * m, this.looks(metal));
      const box = solid(new BoxGeometry(3 * m, 2.4 * m, 2.4 * m), looks);
      this.group.add(box);
      return (p, q) => {
        rod(p, q);
        box.position.copy(p).add(q).multiplyScalar(0.5);
      };
    }
    return this.rod(0.4 * m, looks);
  }

  private stretch(
    update: (p: Vector3, q: Vector3) => void,
    ends: [End, End],
    planar: boolean,
    lane: number | null = null,
  ): void {
    this.stretched.push(update);
    this.pairs.push({ ends, planar, lane });
  }

  update(): void {
    for (const tube of this.tubes) tube.update();
    for (const { object, end, planar, turn } of this.moving) {
      this.poses.end(end, planar, object.position, this.q);
      if (turn) object.quaternion.copy(this.q);
    }
    this.pairs.forEach(({ ends, planar, lane }, i) => {
      this.poses.end(ends[0], planar, this.a, this.q);
      this.poses.end(ends[1], planar, this.b, this.q);
      if (lane !== null) {
        this.a.y = this.b.y = lane;
        if (ends[0].node === null) this.a.x = 0;
        if (ends[1].node === null) this.b.x = 0;
      }
      this.stretched[i](this.a, this.b);
    });
  }

  highlight(node: number | null): void {
    for (const looks of this.highlighted) looks.surface.emissive.set(0x000000);
    this.highlighted.length = 0;
    if (node === null) return;
    for (const looks of this.looks_of_node.get(node) ?? []) {
      looks.surface.emissive.set(looks.surface.color).multiplyScalar(0.45);
      this.highlighted.push(looks);
    }
  }

  dispose(): void {
    this.group.traverse((object) => {
      if (object instanceof Mesh) object.geometry.dispose();
    });
  }
}
