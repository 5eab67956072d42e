// Solids and marks, one unit or one size each; axes along z.
import {
  BoxGeometry,
  BufferGeometry,
  CapsuleGeometry,
  Color,
  ConeGeometry,
  Curve,
  CylinderGeometry,
  EdgesGeometry,
  Float32BufferAttribute,
  Group,
  LatheGeometry,
  LineBasicMaterial,
  LineSegments,
  Material,
  Mesh,
  MeshStandardMaterial,
  OctahedronGeometry,
  PlaneGeometry,
  SphereGeometry,
  TorusGeometry,
  TubeGeometry,
  Vector2,
  Vector3,
} from "three";

/** The looks of one colour: a surface and its edges. */
export class Looks {
  readonly surface: MeshStandardMaterial;
  readonly edges: LineBasicMaterial;
  constructor(
    readonly tint: string,
    readonly ghost: boolean,
    sheet = false,
  ) {
    this.surface = new MeshStandardMaterial({
      color: new Color(tint),
      roughness: 0.6,
      metalness: 0.05,
      polygonOffset: true,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 1,
    });
    this.edges = new LineBasicMaterial({
      color: new Color(tint).multiplyScalar(0.32),
      transparent: true,
      opacity: 0.55,
    });
    if (ghost) this.surface.polygonOffsetFactor = this.surface.polygonOffsetUnits = 4; // behind what is at the same place
    if (ghost || sheet) {
      this.surface.transparent = true;
      this.surface.opacity = 0.28;
      this.surface.depthWrite = false;
      this.surface.side = sheet ? 2 : 0;
      this.edges.opacity = 0.25;
    }
  }
}

export function solid(geometry: BufferGeometry, looks: Looks, edges = true): Mesh {
  const mesh = new Mesh(geometry, looks.surface as Material);
  mesh.castShadow = mesh.receiveShadow = !looks.ghost;
  if (edges) mesh.add(new LineSegments(new EdgesGeometry(geometry, 32), looks.edges));
  return mesh;
}

const turned = <T extends BufferGeometry>(geometry: T): T => geometry.rotateX(Math.PI / 2) as T;

export const along_z = (radius: number, length: number, top = radius): CylinderGeometry =>
  turned(new CylinderGeometry(top, radius, length, 36));

/** A solid of a given size; null if it has none. */
export function sized(primitive: string, size: number[], looks: Looks): Group | null {
  const group = new Group();
  const [a, b, c] = size;
  if (!size.length || size.some((v) => !(v >= 0) || !Number.isFinite(v))) return null;
  switch (primitive) {
    case "box":
      if (size.length < 3) return null;
      group.add(solid(new BoxGeometry(a, b, c), looks));
      return group;
    case "cylinder":
      if (size.length < 2) return null;
      group.add(solid(along_z(a, b), looks), ...spin_mark(a, b, looks));
      return group;
    case "capsule":
      if (size.length < 2) return null;
      group.add(solid(turned(new CapsuleGeometry(a, b, 10, 32)), looks, false));
      return group;
    case "tube": {
      if (size.length < 3) return null;
      const profile = [
        [a, -c / 2],
        [b, -c / 2],
        [b, c / 2],
        [a, c / 2],
        [a, -c / 2],
      ];
      const lathe = new LatheGeometry(
        profile.map(([r, z]) => new Vector2(Math.max(r, 1e-9), z)),
        40,
      );
      const mesh = solid(turned(lathe.toNonIndexed() as BufferGeometry), looks, false);
      (mesh.geometry as BufferGeometry).computeVertexNormals();
      for (const [r, z] of profile.slice(0, 4)) mesh.add(ring(r, z, looks));
      group.add(mesh);
      return group;
    }
    case "cone": {
      if (size.length < 2) return null;
      const geometry = turned(new ConeGeometry(a, b, 36));
      geometry.translate(0, 0, b / 2);
      group.add(solid(geometry, looks));
      return group;
    }
    case "sphere": {
      group.add(solid(new SphereGeometry(a, 32, 20), looks, false), ring(a, 0, looks));
      const other = ring(a, 0, looks);
      other.rotation.x = Math.PI / 2;
      group.add(other);
      return group;
    }
    case "wheel":
      return wheel(a, b ?? 0, looks);
    default:
      return null;
  }
}

/** A circle about z. */
export function ring(radius: number, z: number, looks: Looks): LineSegments {
  const points: number[] = [];
  for (let i = 0; i < 48; ++i)
    for (const k of [i, i + 1]) {
      const angle = (2 * Math.PI * k) / 48;
      points.push(radius * Math.cos(angle), radius * Math.sin(angle), z);
    }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(points, 3));
  return new LineSegments(geometry, looks.edges);
}

/** Lines across the ends of a round solid, so that one sees it turn. */
function spin_mark(radius: number, length: number, looks: Looks): LineSegments[] {
  const geometry = new BufferGeometry();
  const z = (length / 2) * 1.002;
  const points = [
    -radius,
    0,
    z,
    radius,
    0,
    z,
    -radius,
    0,
    -z,
    radius,
    0,
    -z,
    radius * 1.002,
    0,
    z,
    radius * 1.002,
    0,
    -z,
  ];
  geometry.setAttribute("position", new Float32BufferAttribute(points, 3));
  return [new LineSegments(geometry, looks.edges)];
}

function wheel(radius: number, section: number, looks: Looks): Group {
  const group = new Group();
  const tube = Math.max(section, 0.03 * radius);
  const rim = Math.max(radius - tube, 0.5 * radius);
  group.add(solid(new TorusGeometry(rim, tube, 16, 64), looks, false));
  const spokes = 6;
  for (let i = 0; i < spokes / 2; ++i) {
    const bar = solid(along_z(0.018 * radius, 2 * rim), looks, false);
    bar.rotation.set(Math.PI / 2, (i * 2 * Math.PI) / spokes, 0);
    group.add(bar);
  }
  group.add(solid(along_z(0.09 * radius, Math.max(2 * tube, 0.1 * radius)), looks));
  return group;
}

/** The line of a coil from z = 0 to 1; radius 1, thinner towards its ends. */
class Coil extends Curve<Vector3> {
  constructor(private readonly turns: number) {
    super();
  }
  override getPoint(t: number, out = new Vector3()): Vector3 {
    const lead = 0.1;
    const s = Math.min(1, Math.max(0, (t - lead) / (1 - 2 * lead)));
    const r = Math.min(1, Math.min(t, 1 - t) / lead) ** 2;
    const angle = 2 * Math.PI * this.turns * s;
    return out.set(r * Math.cos(angle), r * Math.sin(angle), t);
  }
}

/** A coil whose wire stays as thick as it is when it is stretched. */
export class Helix {
  readonly mesh: Mesh;
  private readonly along: Float32Array; // z of the line, by vertex
  private readonly off: Float32Array; // z from there to the surface
  private length = NaN;

  constructor(looks: Looks, radius: number, wire: number, coarse = false) {
    const turns = coarse ? 5 : 8;
    const rings = (coarse ? 9 : 20) * turns;
    const sides = coarse ? 3 : 7;
    const line = new Coil(turns);
    const geometry = new TubeGeometry(line, rings, wire, sides);
    const position = geometry.attributes.position;
    this.along = new Float32Array(position.count);
    this.off = new Float32Array(position.count);
    const point = new Vector3();
    for (let i = 0; i <= rings; ++i) {
      line.getPointAt(i / rings, point);
      for (let k = 0; k <= sides; ++k) {
        const v = i * (sides + 1) + k;
        this.along[v] = point.z;
        this.off[v] = (position.getZ(v) - point.z) * radius;
        position.setXY(v, position.getX(v) * radius, position.getY(v) * radius);
      }
    }
    this.mesh = solid(geometry, looks, false);
    this.mesh.frustumCulled = false;
  }

  stretch(length: number): void {
    if (Math.abs(length - this.length) < 1e-5 * length) return;
    this.length = length;
    const position = this.mesh.geometry.attributes.position;
    for (let v = 0; v < this.along.length; ++v) position.setZ(v, this.along[v] * length + this.off[v]);
    position.needsUpdate = true;
  }
}

export function joint_mark(type: string, m: number, looks: Looks, sheet: Looks): Group {
  const group = new Group();
  const put = (geometry: BufferGeometry, edges = true) => {
    const mesh = solid(geometry, looks, edges);
    group.add(mesh);
    return mesh;
  };
  switch (type) {
    case "joint.revolute":
      put(along_z(0.75 * m, 2.2 * m));
      break;
    case "joint.spherical":
      put(new SphereGeometry(0.9 * m, 28, 18), false);
      break;
    case "joint.prismatic":
      put(new BoxGeometry(1.7 * m, 1.7 * m, 3 * m));
      break;
    case "joint.cylindrical":
      put(along_z(0.95 * m, 3 * m));
      break;
    case "joint.universal":
      put(along_z(0.38 * m, 2.6 * m)).rotation.x = Math.PI / 2;
      put(along_z(0.38 * m, 2.6 * m)).rotation.y = Math.PI / 2;
      put(new SphereGeometry(0.6 * m, 24, 16), false);
      break;
    case "joint.fixed":
      put(new BoxGeometry(m, m, m));
      break;
    case "joint.point_on_plane":
    case "joint.planar":
      group.add(solid(new PlaneGeometry(9 * m, 9 * m), sheet, true));
      break;
    case "joint.point_on_line":
      put(along_z(0.5 * m, 2.6 * m));
      break;
    case "joint.knife_edge":
      put(turned(new CylinderGeometry(m, m, 0.2 * m, 30)));
      break;
    default:
      put(new OctahedronGeometry(0.8 * m));
  }
  return group;
}

/** A foot where something is fastened to the ground; its tip at the origin, down is −z. */
export function foot(m: number, looks: Looks): Group {
  const group = new Group();
  const geometry = turned(new CylinderGeometry(0.35 * m, 1.5 * m, 2 * m, 4));
  geometry.rotateZ(Math.PI / 4);
  geometry.translate(0, 0, -1.1 * m);
  group.add(solid(geometry, looks));
  const plate = new BoxGeometry(3.2 * m, 3.2 * m, 0.3 * m);
  plate.translate(0, 0, -2.2 * m);
  group.add(solid(plate, looks));
  return group;
}

/** Along +z with length 1 and the thickness of a needle; to be scaled. */
export function arrow(looks: Looks): Group {
  const group = new Group();
  const shaft = along_z(0.022, 0.8);
  shaft.translate(0, 0, 0.4);
  const head = turned(new ConeGeometry(0.065, 0.22, 20));
  head.translate(0, 0, 0.89);
  group.add(solid(shaft, looks, false), solid(head, looks, false));
  return group;
}

/** A bent arrow about z, radius 1. */
export function bent_arrow(looks: Looks): Group {
  const group = new Group();
  group.add(solid(new TorusGeometry(1, 0.04, 10, 40, 1.5 * Math.PI), looks, false));
  const head = solid(new ConeGeometry(0.13, 0.34, 16), looks, false);
  head.position.set(0, -1, 0);
  head.rotation.z = -Math.PI / 2;
  group.add(head);
  return group;
}
