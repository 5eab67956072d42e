// What beams can be coloured by, from what their pieces bear.
import type { Beam } from "./data";

export type Measure = "curvature" | "axial" | "shear" | "bending" | "torsion" | "stress";

export const measures: { key: Measure; name: string; unit: string }[] = [
  { key: "curvature", name: "curvature", unit: "1/m" },
  { key: "axial", name: "axial force", unit: "N" },
  { key: "shear", name: "shear force", unit: "N" },
  { key: "bending", name: "bending moment", unit: "N*m" },
  { key: "torsion", name: "torsion", unit: "N*m" },
  { key: "stress", name: "lengthwise stress", unit: "Pa" },
];

/** Of a frame of motion, from column `at` on: strain, curvature, force and moment of a piece, three numbers each in the axes of its
 *  section; of a cable its elongation and its tension. */
export function bearing(beam: Beam, motion: Float32Array, at: number, out: Float32Array): void {
  out.fill(0);
  if (beam.cable) {
    out[0] = motion[at];
    out[6] = motion[at + 1];
  } else {
    for (let i = 0; i < 12; ++i) out[i] = motion[at + i];
  }
}

/** What is measured at a place y, z of the section is out[at] + out[at + 1] y + out[at + 2] z. */
export function measure(what: Measure, beam: Beam, b: Float32Array, out: Float32Array, at: number): void {
  out[at + 1] = out[at + 2] = 0;
  if (what === "curvature") out[at] = Math.hypot(b[4], b[5]);
  else if (what === "axial") out[at] = b[6];
  else if (what === "shear") out[at] = Math.hypot(b[7], b[8]);
  else if (what === "bending") out[at] = Math.hypot(b[10], b[11]);
  else if (what === "torsion") out[at] = b[9];
  else {
    const modulus = beam.youngs_modulus ?? NaN;
    out[at] = modulus * b[0];
    out[at + 1] = -modulus * b[5];
    out[at + 2] = modulus * b[4];
  }
}
