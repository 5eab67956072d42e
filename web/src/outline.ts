// Outlines of sections: points in the section's axes y and z, what joins them, and how an end is closed.

export interface Outline {
  points: Float64Array; // y, z of each; m
  normals: Float64Array; // y, z of each
  edges: [number, number][]; // of sides; the material is on their left, seen from ahead
  cap: [number, number, number][]; // seen from ahead
  ribs: number[]; // corners that are seen as lines along the beam
  reach: [number, number]; // m, half its size along y and z
}

/** A loop of corners, each with a point for either side. */
function polygon(corners: [number, number][], into: Outline): void {
  const first = into.points.length / 2;
  const points: number[] = [];
  const normals: number[] = [];
  corners.forEach(([y, z], i) => {
    const [y1, z1] = corners[(i + 1) % corners.length];
    const length = Math.hypot(y1 - y, z1 - z) || 1;
    points.push(y, z, y1, z1);
    for (let k = 0; k < 2; ++k) normals.push((z1 - z) / length, (y - y1) / length);
    into.edges.push([first + 2 * i, first + 2 * i + 1]);
    into.ribs.push(first + 2 * i);
  });
  into.points = Float64Array.from([...into.points, ...points]);
  into.normals = Float64Array.from([...into.normals, ...normals]);
}

/** An ellipse; `inwards`: the border of a hole. */
function round(ry: number, rz: number, sides: number, inwards: boolean, into: Outline): void {
  const first = into.points.length / 2;
  const points: number[] = [];
  const normals: number[] = [];
  for (let i = 0; i < sides; ++i) {
    const angle = ((inwards ? -i : i) * 2 * Math.PI) / sides;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const size = (inwards ? -1 : 1) * Math.hypot(rz * c, ry * s) || 1;
    points.push(ry * c, rz * s);
    normals.push((rz * c) / size, (ry * s) / size);
    into.edges.push([first + i, first + ((i + 1) % sides)]);
  }
  into.points = Float64Array.from([...into.points, ...points]);
  into.normals = Float64Array.from([...into.normals, ...normals]);
}

const box = (w: number, h: number): [number, number][] => [
  [w, -h],
  [w, h],
  [-w, h],
  [-w, -h],
];

/** Of a shape and its sizes (see Beam); round ones of so many sides. */
export function outline(shape: string, size: number[], sides: number): Outline {
  const out: Outline = {
    points: new Float64Array(),
    normals: new Float64Array(),
    edges: [],
    cap: [],
    ribs: [],
    reach: [size[0] / 2, size[1] / 2],
  };
  const [a = 0, b = 0, c = 0, d = 0] = size;
  const four = (p: number, q: number, r: number, s: number) => out.cap.push([p, q, r], [p, r, s]);
  const fan = (count: number) => {
    for (let i = 1; i + 1 < count; ++i) out.cap.push([0, i, i + 1]);
  };
  const [w, h] = [a / 2, b / 2];
  if (shape === "rectangle") {
    polygon(box(w, h), out);
    four(0, 2, 4, 6);
  } else if (shape === "hollow_box") {
    polygon(box(w, h), out);
    polygon(box(w - c, h - c).reverse(), out);
    for (let i = 0; i < 4; ++i) four(2 * i, 2 * ((i + 1) % 4), 8 + 2 * (3 - ((i + 1) % 4)), 8 + 2 * (3 - i));
  } else if (shape === "i_beam") {
    const f = h - c;
    const t = d / 2;
    polygon(
      [
        [w, -h],
        [w, -f],
        [t, -f],
        [t, f],
        [w, f],
        [w, h],
        [-w, h],
        [-w, f],
        [-t, f],
        [-t, -f],
        [-w, -f],
        [-w, -h],
      ],
      out,
    );
    four(0, 2, 20, 22);
    four(4, 6, 16, 18);
    four(8, 10, 12, 14);
  } else if (shape === "tube") {
    out.reach = [a, a];
    round(a, a, sides, false, out);
    if (b > 0) {
      round(b, b, sides, true, out);
      const inner = (i: number) => sides + ((sides - i) % sides);
      for (let i = 0; i < sides; ++i) {
        const j = (i + 1) % sides;
        four(i, j, inner(j), inner(i));
      }
    } else fan(sides);
  } else {
    out.reach = [a, b];
    round(a, b, sides, false, out);
    fan(sides);
  }
  return out;
}
