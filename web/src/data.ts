// What the program puts into the page: one JSON document and blocks of numbers (src/report/page.cpp writes them).

/** Everything in the page; in the element `report`. */
export interface Report {
  format: 1;
  kind: "run" | "comparison";
  version: string; // of the program
  runs: Run[]; // one, or the two that are compared
  norms?: Norm[]; // of a comparison, by channel
}

export interface Run {
  name: string; // of its folder
  title: string; // of the model; may be empty
  model: string; // the model as run, YAML
  source: string; // the file as written; empty if it is not known
  summary: Summary | null; // null: the run has not ended, or was killed
  plots: Plot[]; // as the model asks for
  rows: number; // recorded
  /** Times of the points, Float64; thinned: two points per bucket of rows, its lowest and highest value. */
  time: { block: number; thinned: boolean };
  channels: Channel[];
  scene: Scene | null;
  motion: Motion | null;
  history: History | null;
}

export interface Summary {
  status: "done" | "interrupted" | "failed";
  steps: number;
  rejected_steps: number;
  newton_iterations: number;
  factorizations: number;
  wall_seconds: number;
  simulated_seconds: number;
  real_time_factor: number;
  unknowns: Record<string, number>; // by kind
  components: number;
  channels: number;
  rows: number;
  events: { time: number; what: string }[];
  event_count: number;
  warnings: (Warning | string)[]; // strings: of version 0.1
  notes: string[];
  largest_constraint_violation: number;
  most_violated: string;
  largest_velocity_violation: number;
  most_violated_velocity: string;
  scheme: string;
  scheme_parameters: Record<string, number>;
  step_sizes: number[];
  constraints: string;
  version: string;
  model_hash: string;
  settings?: { key: string; value: string }[]; // given with --set
  energy?: Energy;
  error?: { code: string; message: string; hint?: string; time?: number };
}

export interface Warning {
  code: string;
  time: number | null; // s
  component: string | null;
  message: string;
  hint: string | null;
}

/** J: end − start = supplied − dissipated + error. */
export interface Energy {
  start: number;
  end: number;
  supplied: number;
  dissipated: number;
  error: number;
  largest: number; // magnitude met on the way
}

export interface Plot {
  title: string;
  x: string; // "time", or a channel
  y: string[]; // channels
}

/** Float32 values; add `offset`. */
export interface Channel {
  name: string;
  unit: string; // SI, as in "m/s^2"; "1" for pure numbers
  summary: string; // one line; may be empty
  block: number;
  offset: number;
  min: number; // of all rows
  max: number;
}

export interface Norm {
  channel: string;
  unit: string;
  largest: number; // max |a − b|
  at: number; // s, where
  rms: number;
  relative: number; // rms over the rms of the first run's deviation from its mean; may be null if that is zero
}

/** What the mechanism looks like and how it hangs together. */
export interface Scene {
  gravity: [number, number, number] | null;
  nodes: Node[];
  beams?: Beam[];
  components: Component[];
}

/** Something that moves. Its numbers in a row of motion start at `first` (0 is the time): frame w, x, y, z of the
 *  quaternion (body axes to world axes), then the origin x, y, z; planar x, y; point x, y, z; translational and
 *  rotational one. */
export interface Node {
  name: string;
  domain: "frame" | "planar" | "point" | "translational" | "rotational";
  first: number;
}

/** What pieces of beams look like, x along them. Sizes of outlines in m, y and z the axes of the section: rectangle
 *  [width, height]; ellipse [half axis along y, along z]; tube [outer radius, inner]; hollow_box [width, height, wall];
 *  i_beam [width, height, flange, web]. */
export interface Beam {
  outline: string;
  size: number[];
  youngs_modulus: number | null; // Pa; null: not known
  cable?: boolean; // straight from end to end
}

export interface Component {
  name: string;
  type: string; // "joint.revolute"
  summary: string;
  primitive: string; // of its registration: box, cylinder, sphere, spring, damper, rod, arrow, gear, block, none
  parts: Part[];
  connections: Connection[];
  /** A force or torque in space: three channels, the end it acts on, and the end in whose axes it is given (null: world). */
  arrows: {
    channels: [string, string, string];
    kind: "force" | "torque";
    end: number;
    axes: number | null;
  }[];
}

/** A solid or a mark at one end, or something that stretches between two. Sizes in m:
 *  box [x, y, z]; cylinder [radius, length]; capsule [radius, length without its ends]; tube [inner, outer, length];
 *  cone [radius, height]; sphere [radius]; wheel [radius, radius of its section]: their axis is z, their middle at the end
 *  (of a cone: the middle of its base). No size: a mark, as large as the picture wants it. */
export interface Part {
  primitive: string;
  size: number[];
  ends: End[];
  beam?: number; // which of the scene's beams it is a piece of,
  bears?: number; // and from which column of motion on what it bears (see bearing); none in runs of older versions
}

export interface End {
  node: number | null; // null: ground
  position: [number, number, number]; // on the node
  quaternion: [number, number, number, number]; // w, x, y, z
}

export interface Connection {
  port: string;
  to: string; // a component, a declared node, or "ground"
  signal: boolean; // from there to here
}

/** Float32, frame by frame. */
export interface Motion {
  block: number;
  frames: number;
  columns: number;
}

/** Of the steps, in buckets. */
export interface History {
  time: number[]; // end of each bucket
  smallest_step: number[];
  largest_step: number[];
  iterations: number[]; // per step, the most
  factorizations: number[]; // in all
}
