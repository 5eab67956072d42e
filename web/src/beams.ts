// Beams and cables as they bend: outlines swept along the curves of their pieces, coloured by what the pieces bear.
import {
  BufferAttribute,
  BufferGeometry,
  DataTexture,
  DynamicDrawUsage,
  LineSegments,
  LinearFilter,
  Mesh,
  Quaternion,
  SRGBColorSpace,
  Vector3,
} from "three";
import { along, twist } from "./curve";
import type { Beam, Component, End, Scene } from "./data";
import { bearing, measure, type Measure } from "./measures";
import { outline, type Outline } from "./outline";
import { magnitude_colour, signed_colour } from "./palette";
import type { Poses } from "./poses";
import type { Looks } from "./shapes";

export interface Piece {
  beam: Beam;
  a: End;
  b: End;
  bears?: number;
}

/** Where the numbers of a colour bar end: from 0, or from −largest, to largest; the sign is that of one-sided values. */
export interface Range {
  signed: boolean; // values of both signs
  largest: number; // of the magnitude
  sign: number;
}

const shades = 256;
const textures = new Map<boolean, DataTexture>();

/** Colours of a range, from the left of its bar to the right. */
export function shade(signed: boolean, part: number): [number, number, number] {
  return signed ? signed_colour(2 * part - 1) : magnitude_colour(part);
}
function texture(signed: boolean): DataTexture {
  let found = textures.get(signed);
  if (!found) {
    const data = new Uint8Array(4 * shades);
    for (let i = 0; i < shades; ++i) data.set([...shade(signed, i / (shades - 1)), 255], 4 * i);
    found = new DataTexture(data, shades, 1);
    found.colorSpace = SRGBColorSpace;
    found.magFilter = found.minFilter = LinearFilter;
    found.needsUpdate = true;
    textures.set(signed, found);
  }
  return found;
}

const same_end = (a: End, b: End) =>
  a.node === b.node &&
  a.position.every((v, i) => v === b.position[i]) &&
  a.quaternion.every((v, i) => v === b.quaternion[i]);

/** The pieces of a component, one after the other where each begins as the one before it ends. */
export function chains(scene: Scene, component: Component): Piece[][] {
  const all: Piece[][] = [];
  let last: Piece | null = null;
  for (const part of component.parts) {
    const beam = part.beam === undefined ? undefined : scene.beams?.[part.beam];
    if (!beam || part.ends.length !== 2) continue;
    const piece: Piece = { beam, a: part.ends[0], b: part.ends[1], bears: part.bears };
    const goes_on: boolean =
      last !== null &&
      same_end(last.b, piece.a) &&
      last.beam.outline === beam.outline &&
      last.beam.cable === beam.cable;
    if (goes_on) all[all.length - 1].push(piece);
    else all.push([piece]);
    last = piece;
  }
  return all;
}

/** How finely so many pieces are drawn: rings per piece, sides of what is round. */
export function fineness(pieces: number): { rings: number; sides: number } {
  if (pieces <= 100) return { rings: 8, sides: 32 };
  if (pieces <= 400) return { rings: 4, sides: 20 };
  if (pieces <= 1000) return { rings: 2, sides: 12 };
  return { rings: 1, sides: pieces <= 4000 ? 12 : 8 };
}

/** A chain of pieces. Rings of points stand along it; each lies between the middles of two pieces, whose outlines and values it mixes. */
export class Tube {
  readonly mesh: Mesh;
  readonly straight: boolean;
  readonly thicker: [number, number]; // along y and z, than it is
  private readonly geometry = new BufferGeometry();
  private readonly count: number; // points of a ring
  private readonly ring_piece: Int32Array;
  private readonly ring_part: Float64Array; // of the way along its piece
  private readonly ring_other: Int32Array; // the neighbour that is mixed in,
  private readonly ring_share: Float64Array; // and how much of it
  private readonly shapes: Outline[]; // of the rings
  private readonly position: BufferAttribute;
  private readonly normal: BufferAttribute;
  private readonly shading: BufferAttribute;
  private readonly frame: Float64Array; // of the rings: origin, axes x, y, z
  private readonly p = new Vector3();
  private readonly q = new Quaternion();
  private readonly pose = [new Float64Array(7), new Float64Array(7), new Float64Array(7)];
  private readonly six = new Float64Array(6);
  private readonly bearing = new Float32Array(12);
  private what: Measure | null = null;
  private range: Range = { signed: false, largest: 0, sign: 1 };
  private readonly kept = new Map<number, Float32Array>(); // values of the latest frames

  constructor(
    private readonly poses: Poses,
    private readonly pieces: Piece[],
    private readonly planar: boolean,
    private readonly looks: Looks,
    fine: { rings: number; sides: number },
    visible: number, // m, the least reach that is seen
  ) {
    this.straight = pieces.some(({ beam, a, b }) => beam.cable || !poses.turns(a) || !poses.turns(b));
    const per = fine.rings;
    const rings = per * pieces.length + 1;
    this.ring_piece = new Int32Array(rings);
    this.ring_part = new Float64Array(rings);
    this.ring_other = new Int32Array(rings);
    this.ring_share = new Float64Array(rings);
    const known = new Map<Beam, Outline>();
    const own = pieces.map(({ beam }) => {
      if (!known.has(beam)) known.set(beam, outline(beam.outline, beam.size, fine.sides));
      return known.get(beam)!;
    });
    let [y, z] = [0, 0];
    for (const { reach } of known.values()) {
      y = Math.max(y, reach[0]);
      z = Math.max(z, reach[1]);
    }
    this.thicker = [y > 0 ? Math.max(1, visible / y) : 1, z > 0 ? Math.max(1, visible / z) : 1];
    this.count = own[0].points.length / 2;
    this.shapes = [];
    for (let r = 0; r < rings; ++r) {
      const i = Math.min(pieces.length - 1, Math.floor(r / per));
      const part = r / per - i;
      const other = part < 0.5 ? i - 1 : i + 1;
      const inside = other >= 0 && other < pieces.length;
      this.ring_piece[r] = i;
      this.ring_part[r] = part;
      this.ring_other[r] = inside ? other : i;
      this.ring_share[r] = inside ? Math.abs(part - 0.5) : 0;
      this.shapes.push(this.shape_between(own, i, part, other));
    }
    this.frame = new Float64Array(12 * rings);
    const vertices = (rings + 2) * this.count; // the last two rings close the ends
    const attribute = (size: number) => {
      const made = new BufferAttribute(new Float32Array(size * vertices), size);
      made.setUsage(DynamicDrawUsage);
      return made;
    };
    this.position = attribute(3);
    this.normal = attribute(3);
    this.shading = attribute(2);
    this.geometry.setAttribute("position", this.position);
    this.geometry.setAttribute("normal", this.normal);
    this.geometry.setAttribute("uv", this.shading);
    const { edges, cap, ribs } = own[0];
    const faces = new Uint32Array(6 * edges.length * (rings - 1) + 6 * cap.length);
    const rims = [0, rings - 1];
    const lines = new Uint32Array(2 * ribs.length * (rings - 1) + 2 * edges.length * rims.length);
    let f = 0;
    let l = 0;
    for (let r = 0; r + 1 < rings; ++r) {
      const [here, next] = [r * this.count, (r + 1) * this.count];
      for (const [p, q] of edges) {
        faces.set([here + p, here + q, next + q, here + p, next + q, next + p], f);
        f += 6;
      }
      for (const p of ribs) {
        lines.set([here + p, next + p], l);
        l += 2;
      }
    }
    for (const [p, q, r] of cap) {
      const [back, ahead] = [rings * this.count, (rings + 1) * this.count];
      faces.set([back + p, back + r, back + q, ahead + p, ahead + q, ahead + r], f);
      f += 6;
    }
    for (const rim of rims)
      for (const [p, q] of edges) {
        lines.set([rim * this.count + p, rim * this.count + q], l);
        l += 2;
      }
    this.geometry.setIndex(new BufferAttribute(faces, 1));
    this.mesh = new Mesh(this.geometry, looks.surface);
    this.mesh.castShadow = this.mesh.receiveShadow = !looks.ghost;
    const wire = new BufferGeometry();
    wire.setAttribute("position", this.position);
    wire.setIndex(new BufferAttribute(lines, 1));
    const drawn = new LineSegments(wire, looks.edges);
    drawn.frustumCulled = this.mesh.frustumCulled = false;
    if (Math.min(y, z) >= 3 * visible) this.mesh.add(drawn); // lines would hide what is thin
  }

  /** Outlines belong to the middles of pieces; between two middles they change evenly, and on from there to the ends. */
  private shape_between(own: Outline[], i: number, part: number, other: number): Outline {
    const last = own.length - 1;
    const inside = other >= 0 && other <= last;
    const second = inside ? other : Math.min(last, Math.max(0, 2 * i - other));
    if (own[i] === own[second]) return own[i];
    const share = inside ? Math.abs(part - 0.5) : -Math.abs(part - 0.5);
    const mix = (from: Float64Array, to: Float64Array) => from.map((v, k) => v + share * (to[k] - v));
    return { ...own[i], points: mix(own[i].points, own[second].points) };
  }

  /** Is it recorded what it bears? */
  get recorded(): boolean {
    return this.pieces.every(({ bears }) => bears !== undefined);
  }
  knows(what: Measure): boolean {
    return (
      this.recorded && (what !== "stress" || this.pieces.every(({ beam }) => beam.youngs_modulus !== null))
    );
  }
  get middle(): number | null {
    const nodes = this.pieces.map(({ b }) => b.node).filter((node) => node !== null);
    return nodes[Math.floor((nodes.length - 1) / 2)] ?? this.pieces[0].a.node;
  }

  /** Where it is now, from the poses, and what it bears. */
  update(): void {
    if (this.straight) this.follow_line();
    else this.follow_curve();
    this.write();
    if (this.what) this.colour(this.what);
  }

  private current(end: End, out: Float64Array): void {
    this.poses.end(end, this.planar, this.p, this.q);
    out[0] = this.q.w;
    out[1] = this.q.x;
    out[2] = this.q.y;
    out[3] = this.q.z;
    out[4] = this.p.x;
    out[5] = this.p.y;
    out[6] = this.p.z;
  }

  /** All rings with the poses of the ends of their pieces; `fresh` at the first of a piece. */
  private each_ring(visit: (r: number, a: Float64Array, b: Float64Array, fresh: boolean) => void): void {
    let [a, b] = this.pose;
    this.current(this.pieces[0].a, b);
    let piece = -1;
    for (let r = 0; r < this.ring_piece.length; ++r) {
      const fresh = this.ring_piece[r] !== piece;
      if (fresh) {
        piece = this.ring_piece[r];
        [a, b] = [b, a];
        this.current(this.pieces[piece].b, b);
      }
      visit(r, a, b, fresh);
    }
  }

  private follow_curve(): void {
    const frame = this.frame;
    const at = this.pose[2];
    this.each_ring((r, a, b, fresh) => {
      if (fresh) twist(a, b, this.six);
      along(a, this.six, this.ring_part[r], at);
      const w = at[0];
      const x = at[1];
      const y = at[2];
      const z = at[3];
      const o = 12 * r;
      frame[o] = at[4];
      frame[o + 1] = at[5];
      frame[o + 2] = at[6];
      frame[o + 3] = 1 - 2 * (y * y + z * z);
      frame[o + 4] = 2 * (x * y + w * z);
      frame[o + 5] = 2 * (x * z - w * y);
      frame[o + 6] = 2 * (x * y - w * z);
      frame[o + 7] = 1 - 2 * (x * x + z * z);
      frame[o + 8] = 2 * (y * z + w * x);
      frame[o + 9] = 2 * (x * z + w * y);
      frame[o + 10] = 2 * (y * z - w * x);
      frame[o + 11] = 1 - 2 * (x * x + y * y);
    });
  }

  /** Straight from end to end; the sections halve the angles between pieces and turn about the line no more than they must. */
  private follow_line(): void {
    const rings = this.ring_piece.length;
    const frame = this.frame;
    this.each_ring((r, a, b) => {
      for (let k = 0; k < 3; ++k) frame[12 * r + k] = a[4 + k] + this.ring_part[r] * (b[4 + k] - a[4 + k]);
    });
    const x = new Vector3();
    const y = new Vector3();
    const z = new Vector3();
    const way = (r: number, out: Vector3) => {
      const o = 12 * r;
      out.set(frame[o + 12] - frame[o], frame[o + 13] - frame[o + 1], frame[o + 14] - frame[o + 2]);
      return out.normalize();
    };
    for (let r = 0; r < rings; ++r) {
      if (r === 0) way(0, x);
      else if (r === rings - 1) way(r - 1, x);
      else
        way(r - 1, x)
          .add(way(r, z))
          .normalize();
      y.addScaledVector(x, -x.dot(y));
      if (!(y.lengthSq() > 1e-12)) {
        y.set(Math.abs(x.x) < 0.5 ? 1 : 0, Math.abs(x.x) < 0.5 ? 0 : 1, 0);
        y.addScaledVector(x, -x.dot(y));
      }
      y.normalize();
      z.crossVectors(x, y);
      x.toArray(frame, 12 * r + 3);
      y.toArray(frame, 12 * r + 6);
      z.toArray(frame, 12 * r + 9);
    }
  }

  private write(): void {
    const { count, frame } = this;
    const [fat_y, fat_z] = this.thicker;
    const rings = this.ring_piece.length;
    const position = this.position.array;
    const normal = this.normal.array;
    let v = 0;
    const put = (r: number, closing: number) => {
      const { points, normals } = this.shapes[r];
      const o = 12 * r;
      const [ox, oy, oz] = [frame[o], frame[o + 1], frame[o + 2]];
      const [ax, ay, az] = [closing * frame[o + 3], closing * frame[o + 4], closing * frame[o + 5]];
      const [yx, yy, yz] = [frame[o + 6], frame[o + 7], frame[o + 8]];
      const [zx, zy, zz] = [frame[o + 9], frame[o + 10], frame[o + 11]];
      for (let k = 0; k < 2 * count; k += 2) {
        const y = fat_y * points[k];
        const z = fat_z * points[k + 1];
        position[v] = ox + y * yx + z * zx;
        position[v + 1] = oy + y * yy + z * zy;
        position[v + 2] = oz + y * yz + z * zz;
        if (closing) {
          normal[v] = ax;
          normal[v + 1] = ay;
          normal[v + 2] = az;
        } else {
          const n = normals[k];
          const m = normals[k + 1];
          normal[v] = n * yx + m * zx;
          normal[v + 1] = n * yy + m * zy;
          normal[v + 2] = n * yz + m * zz;
        }
        v += 3;
      }
    };
    for (let r = 0; r < rings; ++r) put(r, 0);
    put(0, -1);
    put(rings - 1, 1);
    this.position.needsUpdate = true;
    this.normal.needsUpdate = true;
  }

  /** Of all pieces at a frame: three numbers each (see measure). */
  private values(what: Measure, frame: number, out: Float32Array): Float32Array {
    const { motion, at } = this.poses.row(frame);
    this.pieces.forEach(({ beam, bears }, i) => {
      bearing(beam, motion, at + bears!, this.bearing);
      measure(what, beam, this.bearing, out, 3 * i);
    });
    return out;
  }

  /** The lowest and the highest value over all frames. */
  extremes(what: Measure): [number, number] {
    let low = 0;
    let high = 0;
    const values = new Float32Array(3 * this.pieces.length);
    const shapes = new Map<Beam, Float64Array>();
    for (const { beam } of this.pieces)
      if (!shapes.has(beam)) shapes.set(beam, outline(beam.outline, beam.size, 32).points);
    const points = this.pieces.map(({ beam }) => shapes.get(beam)!);
    for (let f = 0; f < this.poses.times.length; ++f) {
      this.values(what, f, values);
      for (let i = 0; i < points.length; ++i) {
        const at = points[i];
        const c = values[3 * i];
        const cy = values[3 * i + 1];
        const cz = values[3 * i + 2];
        for (let k = 0; k < at.length; k += 2) {
          const value = c + cy * at[k] + cz * at[k + 1];
          if (value < low) low = value;
          if (value > high) high = value;
          if (cy === 0 && cz === 0) break;
        }
      }
    }
    return [low, high];
  }

  /** From the next update on; null: plain. */
  paint(what: Measure | null, range: Range): void {
    const { surface, edges } = this.looks;
    surface.map = what ? texture(range.signed) : null;
    surface.color.set(what ? "#ffffff" : this.looks.tint);
    surface.needsUpdate = true;
    edges.color.set(what ? "#20262c" : this.looks.tint).multiplyScalar(what ? 1 : 0.32);
    this.kept.clear();
    this.what = what;
    this.range = range;
  }

  private colour(what: Measure): void {
    const { range } = this;
    const { before, after, part } = this.poses;
    for (const frame of this.kept.keys()) if (frame !== before && frame !== after) this.kept.delete(frame);
    for (const frame of [before, after])
      if (!this.kept.has(frame))
        this.kept.set(frame, this.values(what, frame, new Float32Array(3 * this.pieces.length)));
    const a = this.kept.get(before)!;
    const b = this.kept.get(after)!;
    const shading = this.shading.array;
    const scale = range.sign * (range.largest > 0 ? (range.signed ? 0.5 : 1) / range.largest : 0);
    const zero = range.signed ? 0.5 : 0;
    const rings = this.ring_piece.length;
    const now = (i: number) => a[i] + part * (b[i] - a[i]);
    let v = 0;
    const put = (r: number) => {
      const { points } = this.shapes[r];
      const i = 3 * this.ring_piece[r];
      const j = 3 * this.ring_other[r];
      const share = this.ring_share[r];
      const c = (1 - share) * now(i) + share * now(j);
      const cy = (1 - share) * now(i + 1) + share * now(j + 1);
      const cz = (1 - share) * now(i + 2) + share * now(j + 2);
      for (let k = 0; k < 2 * this.count; k += 2) {
        const value = zero + scale * (c + cy * points[k] + cz * points[k + 1]);
        shading[v] = (0.5 + (shades - 1) * Math.min(1, Math.max(0, value))) / shades;
        shading[v + 1] = 0.5;
        v += 2;
      }
    };
    for (let r = 0; r < rings; ++r) put(r);
    put(0);
    put(rings - 1);
    this.shading.needsUpdate = true;
  }
}

/** Of a measure, over all tubes and the whole run, so that a colour means the same at all times. */
export function common_range(what: Measure, tubes: Tube[]): Range {
  let [low, high] = [0, 0];
  for (const tube of tubes) {
    const [from, to] = tube.extremes(what);
    low = Math.min(low, from);
    high = Math.max(high, to);
  }
  const largest = Math.max(-low, high);
  const signed = Math.min(-low, high) > 0.01 * largest;
  return { signed, largest, sign: !signed && -low > high ? -1 : 1 };
}
