// Numbers out of the page: base64 blocks, decoded when they are first needed.
import type { Channel, Report, Run } from "./data";

function bytes(block: number): ArrayBuffer {
  const text = atob((document.getElementById(`block-${block}`)?.textContent ?? "").trim());
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) out[i] = text.charCodeAt(i);
  return out.buffer;
}

const little_endian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

function floats64(block: number): Float64Array {
  const buffer = bytes(block);
  if (little_endian) return new Float64Array(buffer, 0, Math.floor(buffer.byteLength / 8));
  const view = new DataView(buffer);
  return Float64Array.from({ length: Math.floor(buffer.byteLength / 8) }, (_, i) =>
    view.getFloat64(8 * i, true),
  );
}

function floats32(block: number): Float32Array {
  const buffer = bytes(block);
  if (little_endian) return new Float32Array(buffer, 0, Math.floor(buffer.byteLength / 4));
  const view = new DataView(buffer);
  return Float32Array.from({ length: Math.floor(buffer.byteLength / 4) }, (_, i) =>
    view.getFloat32(4 * i, true),
  );
}

/** Where a sorted array first exceeds t, less one: the interval [i, i+1] that holds t. */
export function interval(times: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  return low;
}

/** A run whose numbers are at hand. */
export class RunData {
  readonly by_name = new Map<string, Channel>();
  private times: Float64Array | null = null;
  private path_times: Float64Array | null = null;
  private readonly decoded = new Map<string, Float64Array>();
  private frames: Float32Array | null = null;

  constructor(
    readonly run: Run,
    readonly index: number,
  ) {
    for (const channel of run.channels) this.by_name.set(channel.name, channel);
  }

  get time(): Float64Array {
    return (this.times ??= floats64(this.run.time.block));
  }
  get thinned(): boolean {
    return this.run.time.thinned;
  }
  get first(): number {
    return this.time.length ? this.time[0] : 0;
  }
  get last(): number {
    return this.time.length ? this.time[this.time.length - 1] : 0;
  }

  values(name: string): Float64Array {
    const known = this.decoded.get(name);
    if (known) return known;
    const channel = this.by_name.get(name);
    const out = channel ? Float64Array.from(floats32(channel.block)) : new Float64Array(0);
    if (channel?.offset) for (let i = 0; i < out.length; ++i) out[i] += channel.offset;
    this.decoded.set(name, out);
    return out;
  }

  /** One point per bucket where rows are thinned: for curves of one channel over another, and for spectra. */
  path(name: string): Float64Array {
    const all = this.values(name);
    if (!this.thinned) return all;
    const out = new Float64Array(all.length >> 1);
    for (let i = 0; i < out.length; ++i) out[i] = 0.5 * (all[2 * i] + all[2 * i + 1]);
    return out;
  }
  get path_time(): Float64Array {
    if (!this.thinned) return this.time;
    if (!this.path_times) {
      const all = this.time;
      this.path_times = new Float64Array(all.length >> 1);
      for (let i = 0; i < this.path_times.length; ++i)
        this.path_times[i] = 0.5 * (all[2 * i] + all[2 * i + 1]);
    }
    return this.path_times;
  }

  /** Interpolated; NaN outside of the run. */
  at(name: string, t: number): number {
    const values = this.values(name);
    const times = this.time;
    const slack = 1e-9 * Math.abs(this.last);
    if (!values.length || t < times[0] - slack || t > times[times.length - 1] + slack) return NaN;
    if (values.length === 1) return values[0];
    const i = interval(times, t);
    const width = times[i + 1] - times[i];
    const part = width > 0 ? Math.min(1, Math.max(0, (t - times[i]) / width)) : 1;
    return part === 0 ? values[i] : values[i] + part * (values[i + 1] - values[i]);
  }

  get motion(): Float32Array | null {
    const motion = this.run.motion;
    if (!motion || !motion.frames || !motion.columns) return null;
    this.frames ??= floats32(motion.block);
    return this.frames.length >= motion.frames * motion.columns ? this.frames : null;
  }
}

export function read_report(): Report {
  return JSON.parse(document.getElementById("report")?.textContent ?? "null") as Report;
}
