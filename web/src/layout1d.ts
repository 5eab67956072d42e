// Where to draw what has no place in space: sliders and shafts in a row, by their distance from the ground.
import type { Scene } from "./data";

export interface Place {
  x: number;
  y: number;
  low: number; // extent in y that its connections want
  high: number;
  middle: number; // of its motion; taken off
}

export interface Layout {
  pitch: number; // m, from one column to the next
  places: (Place | null)[]; // by node
  wall: { low: number; high: number } | null; // ground at x = 0, if anything is fastened to it
  lane: Map<number, number>; // y of what stretches between two ends, by component
  stop: number; // the last column
  girth: number; // how much thicker than usual, so that a long single row can be seen
}

interface Edge {
  component: number;
  a: number; // node, -1: ground
  b: number;
}

/** `ranges` of the coordinate of each node over the run; only nodes for which `drawn` holds get a place. */
export function layout_1d(scene: Scene, ranges: [number, number][], largest_relative: number): Layout {
  const drawn = scene.nodes.map((n) => n.domain === "translational" || n.domain === "rotational");
  const edges: Edge[] = [];
  const driven = new Set<number>();
  scene.components.forEach((component, i) => {
    for (const part of component.parts) {
      const ends = part.ends.map((end) => end.node ?? -1);
      if (ends.length === 2 && ends.every((n) => n < 0 || drawn[n]))
        edges.push({ component: i, a: ends[0], b: ends[1] });
      if (ends.length === 1 && ends[0] >= 0 && /\.motion$/.test(component.type)) driven.add(ends[0]);
    }
  });
  const neighbours = scene.nodes.map(() => new Set<number>());
  for (const { a, b } of edges) {
    if (a >= 0 && b >= 0 && a !== b) {
      neighbours[a].add(b);
      neighbours[b].add(a);
    }
  }

  // Columns: breadth first from the ground; islands start at what is driven, else at their first node.
  const column = scene.nodes.map(() => 0);
  const spread = (roots: number[]) => {
    let front = roots.filter((n) => !column[n]);
    for (let depth = 1; front.length; ++depth) {
      front.forEach((n) => (column[n] = depth));
      front = [...new Set(front.flatMap((n) => [...neighbours[n]]))].filter((n) => !column[n]);
    }
  };
  spread([...new Set(edges.filter((e) => e.a < 0 !== e.b < 0).map((e) => Math.max(e.a, e.b)))]);
  spread([...driven].filter((n) => drawn[n]));
  drawn.forEach((yes, n) => yes && !column[n] && spread([n]));

  // Rows: behind its neighbours of the column before, if that place is free.
  const stop = Math.max(1, ...column);
  const row = scene.nodes.map(() => 0);
  for (let depth = 1; depth <= stop; ++depth) {
    const taken = new Set<number>();
    const here = drawn.map((_, n) => n).filter((n) => drawn[n] && column[n] === depth);
    const wish = (n: number) => {
      const before = [...neighbours[n]].filter((m) => column[m] === depth - 1).map((m) => row[m]);
      return before.length ? before.reduce((s, r) => s + r, 0) / before.length : Infinity;
    };
    const order = here.map((n) => ({ n, wish: wish(n) })).sort((p, q) => p.wish - q.wish || p.n - q.n);
    for (const { n, wish: wanted } of order) {
      let r = Number.isFinite(wanted) ? wanted : 0;
      while ([...taken].some((t) => Math.abs(t - r) < 0.99)) r = Math.floor(r) + 1;
      taken.add(r);
      row[n] = r;
    }
  }
  const rows = row.filter((_, n) => drawn[n]);
  const centre = rows.length ? (Math.min(...rows) + Math.max(...rows)) / 2 : 0;

  const pitch = largest_relative > 0 ? largest_relative / 0.35 : 1;
  const y_of = (n: number) => (centre - row[n]) * 1.1 * pitch;
  const places = scene.nodes.map((_, n): Place | null =>
    drawn[n]
      ? {
          x: column[n] * pitch,
          y: y_of(n),
          low: y_of(n),
          high: y_of(n),
          middle: (ranges[n][0] + ranges[n][1]) / 2,
        }
      : null,
  );

  // What runs side by side between the same two ends is spread out.
  const lane = new Map<number, number>();
  const bundles = new Map<string, Edge[]>();
  for (const edge of edges) {
    const key = [edge.a, edge.b].sort((p, q) => p - q).join(" ");
    bundles.set(key, [...(bundles.get(key) ?? []), edge]);
  }
  let wall: Layout["wall"] = null;
  for (const bundle of bundles.values()) {
    const { a, b } = bundle[0];
    const busy = (n: number) => (n < 0 ? Infinity : neighbours[n].size);
    const leader = busy(b) < busy(a) ? b : a;
    if (leader < 0) continue;
    const gap = Math.min(0.34, 0.8 / bundle.length) * pitch;
    bundle.forEach((edge, k) => {
      const y = y_of(leader) + (k - (bundle.length - 1) / 2) * gap;
      lane.set(edge.component, y);
      for (const n of [a, b]) {
        const place = n >= 0 ? places[n] : null;
        if (place) {
          place.low = Math.min(place.low, y);
          place.high = Math.max(place.high, y);
        } else {
          wall = { low: Math.min(wall?.low ?? y, y), high: Math.max(wall?.high ?? y, y) };
        }
      }
    });
  }
  const single = new Set(rows).size <= 1;
  return { pitch, places, wall, lane, stop, girth: single ? Math.max(1, stop / 16) : 1 };
}

/** How far ends that something connects move against each other, at most: sets the pitch. */
export function largest_relative(
  scene: Scene,
  frames: number,
  coordinate: (node: number, frame: number) => number,
): number {
  let largest = 0;
  const pairs = new Set<string>();
  for (const component of scene.components)
    for (const part of component.parts) {
      if (part.ends.length !== 2) continue;
      const [a, b] = part.ends.map((end) => end.node ?? -1);
      const linear = [a, b].every((n) => n < 0 || scene.nodes[n].domain === "translational");
      if (linear && a !== b) pairs.add(`${a} ${b}`);
    }
  if (!pairs.size) scene.nodes.forEach((node, n) => node.domain === "translational" && pairs.add(`-1 ${n}`));
  for (const pair of pairs) {
    const [a, b] = pair.split(" ").map(Number);
    let low = Infinity;
    let high = -Infinity;
    for (let f = 0; f < frames; ++f) {
      const d = (b < 0 ? 0 : coordinate(b, f)) - (a < 0 ? 0 : coordinate(a, f));
      if (d < low) low = d;
      if (d > high) high = d;
    }
    if (high > low) largest = Math.max(largest, 0.5 * (high - low));
  }
  return largest;
}
