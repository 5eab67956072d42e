// The curve of a piece of a beam between the frames of its ends: the same twist all along.

/** A frame: the quaternion w, x, y, z, then the origin. */
export type Pose = Float64Array;

/** The logarithm of b as seen from a: how far along the axes of a, then how far turned. */
export function twist(a: Pose, b: Pose, out: Float64Array): void {
  const aw = a[0];
  const ax = a[1];
  const ay = a[2];
  const az = a[3];
  const bw = b[0];
  const bx = b[1];
  const by = b[2];
  const bz = b[3];
  let w = aw * bw + ax * bx + ay * by + az * bz;
  let x = aw * bx - ax * bw - ay * bz + az * by;
  let y = aw * by - ay * bw - az * bx + ax * bz;
  let z = aw * bz - az * bw - ax * by + ay * bx;
  if (w < 0) {
    w = -w;
    x = -x;
    y = -y;
    z = -z;
  }
  const r = Math.sqrt(x * x + y * y + z * z);
  const k = r < 1e-4 ? 2 * (1 + (r * r) / 6) : (2 * Math.atan2(r, w)) / r;
  const p = k * x;
  const q = k * y;
  const s = k * z;
  // The way between the origins, in the axes of a.
  const dx = b[4] - a[4];
  const dy = b[5] - a[5];
  const dz = b[6] - a[6];
  const tx = 2 * (ay * dz - az * dy);
  const ty = 2 * (az * dx - ax * dz);
  const tz = 2 * (ax * dy - ay * dx);
  const ux = dx - aw * tx + ay * tz - az * ty;
  const uy = dy - aw * ty + az * tx - ax * tz;
  const uz = dz - aw * tz + ax * ty - ay * tx;
  // Less what the turning bends it: u − ½ w × u + e w × (w × u).
  const square = p * p + q * q + s * s;
  const t = Math.sqrt(square);
  const e =
    square < 1e-2
      ? 1 / 12 + square / 720 + (square * square) / 30240 + square ** 3 / 1209600
      : (1 - t / 2 / Math.tan(t / 2)) / square;
  const cx = q * uz - s * uy;
  const cy = s * ux - p * uz;
  const cz = p * uy - q * ux;
  out[0] = ux - 0.5 * cx + e * (q * cz - s * cy);
  out[1] = uy - 0.5 * cy + e * (s * cx - p * cz);
  out[2] = uz - 0.5 * cz + e * (p * cy - q * cx);
  out[3] = p;
  out[4] = q;
  out[5] = s;
}

/** The frame a part of the way along a twist: a exp(part twist). */
export function along(a: Pose, twist: Float64Array, part: number, out: Pose): void {
  const vx = twist[0];
  const vy = twist[1];
  const vz = twist[2];
  const p = twist[3];
  const q = twist[4];
  const s = twist[5];
  const t = Math.sqrt(p * p + q * q + s * s);
  const turn = part * t;
  const small = turn < 1e-3;
  const b = small ? part * part * (0.5 - (turn * turn) / 24) : (1 - Math.cos(turn)) / (t * t);
  const c = small ? part ** 3 * (1 / 6 - (turn * turn) / 120) : (turn - Math.sin(turn)) / (t * t * t);
  const cx = q * vz - s * vy;
  const cy = s * vx - p * vz;
  const cz = p * vy - q * vx;
  const ux = part * vx + b * cx + c * (q * cz - s * cy);
  const uy = part * vy + b * cy + c * (s * cx - p * cz);
  const uz = part * vz + b * cz + c * (p * cy - q * cx);
  const aw = a[0];
  const ax = a[1];
  const ay = a[2];
  const az = a[3];
  const tx = 2 * (ay * uz - az * uy);
  const ty = 2 * (az * ux - ax * uz);
  const tz = 2 * (ax * uy - ay * ux);
  out[4] = a[4] + ux + aw * tx + ay * tz - az * ty;
  out[5] = a[5] + uy + aw * ty + az * tx - ax * tz;
  out[6] = a[6] + uz + aw * tz + ax * ty - ay * tx;
  const h = small ? part * (0.5 - (turn * turn) / 48) : Math.sin(turn / 2) / t;
  const rw = Math.cos(turn / 2);
  const rx = h * p;
  const ry = h * q;
  const rz = h * s;
  out[0] = aw * rw - ax * rx - ay * ry - az * rz;
  out[1] = aw * rx + ax * rw + ay * rz - az * ry;
  out[2] = aw * ry + ay * rw + az * rx - ax * rz;
  out[3] = aw * rz + az * rw + ax * ry - ay * rx;
}
