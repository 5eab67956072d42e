// Where everything is at a time: frames of the motion, interpolated.
import { Quaternion, Vector3 } from "three";
import type { End, Scene } from "./data";
import { interval, type RunData } from "./decode";
import { largest_relative, layout_1d, type Layout } from "./layout1d";

/** A plane stands upright: its y points up. */
const upright = new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), Math.PI / 2);
const x_axis = new Vector3(1, 0, 0);

export class Poses {
  readonly times: Float64Array;
  readonly position: Vector3[];
  readonly rotation: Quaternion[];
  readonly drawn: boolean[]; // by node
  readonly layout: Layout | null = null;
  before = 0; // the frames around the time,
  after = 0;
  part = 0; // and how far it is from the one to the other
  private readonly motion: Float32Array;
  private readonly columns: number;
  private readonly q0 = new Quaternion();
  private readonly q1 = new Quaternion();

  constructor(
    run: RunData,
    readonly scene: Scene,
  ) {
    this.motion = run.motion!;
    this.columns = run.run.motion!.columns;
    const frames = run.run.motion!.frames;
    this.times = Float64Array.from({ length: frames }, (_, f) => this.motion[f * this.columns]);
    this.position = scene.nodes.map(() => new Vector3());
    this.rotation = scene.nodes.map(() => new Quaternion());
    const in_space = scene.nodes.map((n) => /^(frame|planar|point)$/.test(n.domain));
    const spatial = in_space.includes(true);
    this.drawn = in_space.map((here) => !spatial || here);
    if (!spatial && scene.nodes.length) {
      const coordinate = (node: number, f: number) => this.motion[f * this.columns + scene.nodes[node].first];
      const ranges = scene.nodes.map((_, n): [number, number] => {
        let low = Infinity;
        let high = -Infinity;
        for (let f = 0; f < frames; ++f) {
          low = Math.min(low, coordinate(n, f));
          high = Math.max(high, coordinate(n, f));
        }
        return [low, high];
      });
      this.layout = layout_1d(scene, ranges, largest_relative(scene, frames, coordinate));
    }
    this.set(this.times[0] ?? 0);
  }

  set(t: number): void {
    const last = this.times.length - 1;
    const f = last > 0 ? interval(this.times, t) : 0;
    const g = Math.min(last, f + 1);
    const width = this.times[g] - this.times[f];
    const part = width > 0 ? Math.min(1, Math.max(0, (t - this.times[f]) / width)) : 0;
    this.before = f;
    this.after = g;
    this.part = part;
    const a = f * this.columns;
    const b = g * this.columns;
    const m = this.motion;
    const mix = (i: number) => m[a + i] + part * (m[b + i] - m[a + i]);
    this.scene.nodes.forEach((node, n) => {
      const i = node.first;
      const p = this.position[n];
      const q = this.rotation[n];
      if (node.domain === "frame") {
        this.q0.set(m[a + i + 1], m[a + i + 2], m[a + i + 3], m[a + i]).normalize();
        this.q1.set(m[b + i + 1], m[b + i + 2], m[b + i + 3], m[b + i]).normalize();
        q.slerpQuaternions(this.q0, this.q1, part);
        p.set(mix(i + 4), mix(i + 5), mix(i + 6));
      } else if (node.domain === "point") {
        p.set(mix(i), mix(i + 1), mix(i + 2));
      } else if (node.domain === "planar") {
        p.set(mix(i), 0, mix(i + 1));
        q.copy(upright);
      } else if (this.layout) {
        const place = this.layout.places[n]!;
        const turns = node.domain === "rotational";
        p.set(place.x + (turns ? 0 : mix(i) - place.middle), 0.5 * (place.low + place.high), 0);
        if (turns) q.setFromAxisAngle(x_axis, mix(i));
      }
    });
  }

  /** Whether all ends can be drawn. */
  placed(ends: End[]): boolean {
    return ends.length > 0 && ends.every((end) => end.node === null || this.drawn[end.node]);
  }

  /** Whether an end has axes of its own. */
  turns(end: End): boolean {
    return end.node === null || this.scene.nodes[end.node].domain === "frame";
  }

  /** Numbers of a frame of motion, and where they begin. */
  row(frame: number): { motion: Float32Array; at: number } {
    return { motion: this.motion, at: frame * this.columns };
  }

  /** Of an end of a component; ground takes its axes from the others. */
  end(end: End, planar: boolean, position: Vector3, rotation: Quaternion): void {
    position.fromArray(end.position);
    rotation.set(end.quaternion[1], end.quaternion[2], end.quaternion[3], end.quaternion[0]);
    if (end.node !== null) {
      position.applyQuaternion(this.rotation[end.node]).add(this.position[end.node]);
      rotation.premultiply(this.rotation[end.node]);
    } else if (planar) {
      position.applyQuaternion(upright);
      rotation.premultiply(upright);
    }
  }
}
